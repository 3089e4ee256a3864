import Music

extension MeshPair {
  var json: JSONObject {
    [
      "number": .integer(Int64(number)), "offers": .string(offers.description), "answers": .string(answers.description),
      "state": .string(state.rawValue), "route": .string(route.rawValue), "attempt": .integer(Int64(attempt)),
    ]
  }

  /// Highest number that is read.
  static let numbers = 0...Int(Int32.max)

  init(_ fields: NativeFields) throws(RoomRefusal) {
    self.init(
      number: try fields.integer("number", in: MeshPair.numbers), offers: try fields.identifier("offers"),
      answers: try fields.identifier("answers"), state: try fields.word("state", among: State.allCases),
      attempt: try fields.integer("attempt", in: MeshPair.numbers))
    // Otherwise the route follows from the state.
    if state == .connected { hasMuted = try fields.word("route", among: Route.allCases) == .routed }
  }
}

extension PairMessage {
  /// One of `offer`, `answer` (texts of session descriptions), `candidate` and `bye`.
  var json: JSONObject {
    var object: JSONObject = [:]
    if let pair { object["pair"] = .integer(Int64(pair)) }
    switch content {
    case .offer(let sdp): object["offer"] = .string(sdp)
    case .answer(let sdp): object["answer"] = .string(sdp)
    case .candidate(let candidate): object["candidate"] = candidate.json
    case .bye: object["bye"] = true
    }
    return object
  }

  init(_ fields: NativeFields) throws(RoomRefusal) {
    let pair = try fields.optionalInteger("pair", in: MeshPair.numbers)
    if let sdp = try RoomCommand.description(fields, "offer") {
      self.init(.offer(sdp: sdp), pair: pair)
    } else if let sdp = try RoomCommand.description(fields, "answer") {
      self.init(.answer(sdp: sdp), pair: pair)
    } else if fields.has("candidate") {
      self.init(.candidate(try CandidateMessage(memberOf: fields)), pair: pair)
    } else if try fields.optionalBool("bye") == true {
      self.init(.bye, pair: pair)
    } else {
      throw RoomRefusal(
        .malformed,
        "a message for another musician's client must have one of \"offer\", \"answer\", \"candidate\" and \"bye\"")
    }
  }
}

extension PairReport {
  var json: JSONObject {
    var object: JSONObject = ["state": .string(path.rawValue)]
    if let pair { object["pair"] = .integer(Int64(pair)) }
    return object
  }

  init(_ fields: NativeFields) throws(RoomRefusal) {
    self.init(
      try fields.word("state", among: Path.allCases), pair: try fields.optionalInteger("pair", in: MeshPair.numbers))
  }
}
