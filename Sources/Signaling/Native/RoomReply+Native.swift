import Music

extension RoomReply {
  /// The member "result" of a response.
  var json: JSONObject {
    switch self {
    case .done: [:]
    case .answer(let peer, let sdp): RoomReply.description(peer, "answer", sdp)
    case .offer(let peer, let sdp): RoomReply.description(peer, "offer", sdp)
    case .take(let id, let number):
      ["take": ["id": .string(id.description), "number": .integer(Int64(number))]]
    case .cue(let cue): ["cue": .object(cue.json)]
    case .snapshot(let snapshot): ["snapshot": .object(snapshot.json)]
    case .returned(let value): ["value": value.json]
    case .sharedObject(let receipt): receipt.json
    }
  }

  /// The format of a browser's `RTCSessionDescriptionInit`.
  private static func description(_ peer: PeerLabel, _ type: String, _ sdp: String) -> JSONObject {
    ["peer": .string(peer.description), "type": .string(type), "sdp": .string(sdp)]
  }

  /// The kind of the session description: offer or answer.
  private enum DescriptionType: String, CaseIterable { case offer, answer }

  init(_ fields: NativeFields) throws(RoomRefusal) {
    if fields.has("sdp") {
      let peer = try fields.peer()
      let sdp = try fields.string("sdp")
      switch try fields.word("type", among: DescriptionType.allCases) {
      case .offer: self = .offer(peer, sdp: sdp)
      case .answer: self = .answer(peer, sdp: sdp)
      }
    } else if let take = try fields.optionalObject("take") {
      self = .take(try take.identifier("id"), number: try take.integer("number", in: 0...Int(Int32.max)))
    } else if let cue = try fields.optionalObject("cue") {
      self = .cue(try Cue(cue))
    } else if let snapshot = try fields.optionalObject("snapshot") {
      self = .snapshot(try RoomSnapshot(snapshot))
    } else if fields.has("value") {
      self = .returned(try SharedValue(fields.value("value") ?? .null))
    } else if fields.has("object") {
      self = .sharedObject(try SharedObjectReceipt(fields))
    } else {
      self = .done
    }
  }
}

extension Cue {
  var json: JSONObject {
    [
      "id": .string(id.description), "position": position.json, "text": .string(text),
      "author": .optional(author?.description),
    ]
  }

  init(_ fields: NativeFields) throws(RoomRefusal) {
    self.init(
      id: try fields.identifier("id"), position: try SamplePosition(memberOf: fields),
      text: try fields.string("text"), author: try fields.optionalIdentifier("author"))
  }
}

extension SamplePosition {
  /// Seconds from the take's zero; multiplied by 48,000 and rounded they give the exact sample.
  var json: JSONValue { .measure(seconds) }

  /// Reads the member "position".
  init(memberOf fields: NativeFields) throws(RoomRefusal) {
    let seconds = try fields.double("position")
    guard let position = SamplePosition(seconds: seconds) else {
      throw RoomRefusal(.malformed, "\"position\" is no time in seconds")
    }
    self = position
  }
}

extension RoomRefusal {
  var json: JSONObject {
    var object: JSONObject = ["code": .string(code.rawValue), "message": .string(description)]
    if let retryAfter { object["retryAfter"] = .integer(Int64(retryAfter)) }
    return object
  }

  init(_ fields: NativeFields) throws(RoomRefusal) {
    self.init(
      try fields.word("code", among: Code.allCases), try fields.string("message"),
      retryAfter: try fields.optionalInteger("retryAfter", in: 0...86_400))
  }

  /// The refusal of an unreadable text.
  init(_ error: JSONError) {
    self.init(error.isLimit ? .tooLarge : .malformed, "the message is no JSON that is taken here: \(error)")
  }
}
