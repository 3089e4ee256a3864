import Machines
import Music

extension RoomCommand {
  /// Longest accepted session description, in bytes.
  private static let maximumDescriptionBytes = 65_536

  /// Reads the parameters of a request; nil for methods that are not commands to a room (join, ping).
  static func native(_ method: NativeMethod, _ fields: NativeFields) throws(RoomRefusal) -> RoomCommand? {
    switch method {
    case .join, .ping: return nil
    case .snapshot: return .snapshot
    case .leave: return .leave
    case .publish where fields.value("participant") != nil:
      return .exchange(
        try fields.peer(), with: try participant("participant", fields),
        offer: try description(fields, isNeeded: false))
    case .publish:
      return .publish(
        try fields.peer(), offer: try description(fields, isNeeded: false),
        loopsBack: try fields.optionalBool("loopback") ?? false)
    case .subscribe:
      return .subscribe(
        try fields.peer(), to: try source(fields), offer: try description(fields, isNeeded: false))
    case .redirect:
      return .redirect(try fields.peer(), to: fields.value("participant") == nil ? nil : try source(fields))
    case .answer: return .answer(try fields.peer(), sdp: try description(fields, isNeeded: true) ?? "")
    case .candidate: return .candidate(try fields.peer(), try CandidateMessage(memberOf: fields))
    case .restart: return .restart(try fields.peer(), offer: try description(fields, isNeeded: true) ?? "")
    case .close: return .close(try fields.peer())
    case .takeStart: return .startTake(song: try fields.optionalString("song"))
    case .takeStop: return .stopTake
    case .takeSplit: return .splitTake(song: try fields.optionalString("song"))
    case .cue: return .cue(try fields.string("text"))
    case .message:
      return .message(
        try fields.string("text"), to: fields.value("to") == nil ? nil : try participant("to", fields))
    case .stats: return .report(try ClientReport(fields))
    case .objectUse: return .sharedObjectUse(try object(fields), isPersistent: try fields.optionalBool("persistent"))
    case .objectChange: return .sharedObjectChange(try object(fields), try SharedChange.all(fields))
    case .objectRelease: return .sharedObjectRelease(try object(fields))
    case .kick: return .kick(try participant("participant", fields))
    case .mute: return .mute(try participant("participant", fields), try fields.bool("muted"))
    case .sound: return .sound(try fields.word("state", among: SoundState.allCases))
    case .topology: return .topology(try fields.word("topology", among: RoomPolicy.Topology.allCases))
    case .meshEnter: return .meshEnter
    case .meshRelay: return .meshRelay(try PairMessage(fields), to: try participant("to", fields))
    case .meshReport: return .meshReport(try PairReport(fields), about: try participant("about", fields))
    case .call:
      let arguments = try SharedValue.all(try fields.optionalArray("arguments") ?? [])
      return .call(try fields.string("method"), arguments)
    }
  }

  private static func description(_ fields: NativeFields, isNeeded: Bool) throws(RoomRefusal) -> String? {
    if isNeeded { _ = try fields.string("sdp") }
    return try description(fields, "sdp")
  }

  /// A session description of bounded size, if there is one.
  static func description(_ fields: NativeFields, _ name: String) throws(RoomRefusal) -> String? {
    let sdp = try fields.optionalString(name)
    if let sdp, sdp.utf8.count > maximumDescriptionBytes {
      throw RoomRefusal(
        .tooLarge,
        "the session description has \(sdp.utf8.count) bytes; it must have \(maximumDescriptionBytes) at most")
    }
    return sdp
  }

  /// `participant` is an identifier, `mix` (optionally with the identifier `without` to leave out) or `mix-minus`.
  private static func source(_ fields: NativeFields) throws(RoomRefusal) -> AudioSource {
    switch try fields.string("participant") {
    case AudioSource.mixName:
      return .mix(without: fields.value("without") == nil ? nil : try participant("without", fields))
    case AudioSource.mixMinusName: return .mixMinus
    default: return .participant(try participant("participant", fields))
    }
  }

  private static func object(_ fields: NativeFields) throws(RoomRefusal) -> SharedObjectName {
    try SharedObjectName(checking: try fields.string("object"))
  }

  private static func participant(_ name: String, _ fields: NativeFields) throws(RoomRefusal) -> ParticipantID {
    let text = try fields.string(name)
    guard let participant = ParticipantID(text) else {
      throw RoomRefusal(
        .unknownParticipant, "\"\(text.prefix(64))\" is no participant; their identifiers are in the snapshot")
    }
    return participant
  }

  /// The request for this command.
  var native: (method: NativeMethod, parameters: JSONObject) {
    switch self {
    case .publish(let peer, let offer, let loopsBack):
      var parameters = RoomCommand.parameters(peer, sdp: offer)
      if loopsBack { parameters["loopback"] = true }
      return (.publish, parameters)
    case .exchange(let peer, let other, let offer):
      var parameters = RoomCommand.parameters(peer, sdp: offer)
      parameters["participant"] = .string(other.description)
      return (.publish, parameters)
    case .subscribe(let peer, let source, let offer):
      var parameters = RoomCommand.parameters(peer, sdp: offer)
      for member in source.native.members { parameters[member.name] = member.value }
      return (.subscribe, parameters)
    case .redirect(let peer, let source):
      var parameters = RoomCommand.parameters(peer, sdp: nil)
      for member in source?.native.members ?? [] { parameters[member.name] = member.value }
      return (.redirect, parameters)
    case .answer(let peer, let sdp): return (.answer, RoomCommand.parameters(peer, sdp: sdp))
    case .candidate(let peer, let candidate):
      return (.candidate, ["peer": .string(peer.description), "candidate": candidate.json])
    case .restart(let peer, let offer): return (.restart, RoomCommand.parameters(peer, sdp: offer))
    case .close(let peer): return (.close, RoomCommand.parameters(peer, sdp: nil))
    case .startTake(let song): return (.takeStart, RoomCommand.parameters(song: song))
    case .stopTake: return (.takeStop, [:])
    case .splitTake(let song): return (.takeSplit, RoomCommand.parameters(song: song))
    case .cue(let text): return (.cue, ["text": .string(text)])
    case .message(let text, let recipient):
      var parameters: JSONObject = ["text": .string(text)]
      if let recipient { parameters["to"] = .string(recipient.description) }
      return (.message, parameters)
    case .report(let report): return (.stats, report.json)
    case .sharedObjectUse(let name, let isPersistent):
      var parameters: JSONObject = ["object": .string(name.description)]
      if let isPersistent { parameters["persistent"] = .bool(isPersistent) }
      return (.objectUse, parameters)
    case .sharedObjectChange(let name, let changes):
      return (
        .objectChange,
        ["object": .string(name.description), "changes": .array(changes.map { .object($0.json) })]
      )
    case .sharedObjectRelease(let name): return (.objectRelease, ["object": .string(name.description)])
    case .kick(let participant): return (.kick, ["participant": .string(participant.description)])
    case .mute(let participant, let isMuted):
      return (.mute, ["participant": .string(participant.description), "muted": .bool(isMuted)])
    case .sound(let state): return (.sound, ["state": .string(state.rawValue)])
    case .topology(let topology): return (.topology, ["topology": .string(topology.rawValue)])
    case .meshEnter: return (.meshEnter, [:])
    case .meshRelay(let message, let receiver):
      var parameters = message.json
      parameters["to"] = .string(receiver.description)
      return (.meshRelay, parameters)
    case .meshReport(let report, let other):
      var parameters = report.json
      parameters["about"] = .string(other.description)
      return (.meshReport, parameters)
    case .call(let method, let arguments):
      return (.call, ["method": .string(method), "arguments": .array(arguments.map(\.json))])
    case .snapshot: return (.snapshot, [:])
    case .leave: return (.leave, [:])
    }
  }

  private static func parameters(_ peer: PeerLabel, sdp: String?) -> JSONObject {
    var parameters: JSONObject = ["peer": .string(peer.description)]
    if let sdp { parameters["sdp"] = .string(sdp) }
    return parameters
  }

  private static func parameters(song: String?) -> JSONObject {
    song.map { ["song": .string($0)] } ?? [:]
  }
}

extension ClientReport {
  /// Most times of a kind per report; no room has as many musicians.
  private static let maximumDelays = 64

  var json: JSONObject {
    var object: JSONObject = [:]
    if clientTime != nil || serverTime != nil || roundTrip != nil {
      var clock: JSONObject = [:]
      if let clientTime { clock["t"] = NativeTime.milliseconds(clientTime) }
      if let serverTime { clock["serverTime"] = NativeTime.milliseconds(serverTime.nanoseconds) }
      if let roundTrip { clock["roundTrip"] = NativeTime.milliseconds(roundTrip) }
      object["clock"] = .object(clock)
    }
    if !playoutDelays.isEmpty { object["playout"] = ClientReport.json(playoutDelays) }
    if !directTrips.isEmpty { object["direct"] = ClientReport.json(directTrips) }
    if let health { object["health"] = .object(health.json) }
    return object
  }

  /// Reads the parameters of stats.
  init(_ fields: NativeFields) throws(RoomRefusal) {
    self.init()
    if let clock = try fields.optionalObject("clock") {
      clientTime = try NativeTime.nanoseconds("t", clock)
      serverTime = try NativeTime.nanoseconds("serverTime", clock).map(MonotonicTime.init(nanoseconds:))
      roundTrip = try NativeTime.nanoseconds("roundTrip", clock)
    }
    playoutDelays = try ClientReport.times("playout", fields)
    directTrips = try ClientReport.times("direct", fields)
    if let health = try fields.optionalObject("health") { self.health = try HeardQuality(health) }
  }

  private static func json(_ times: [ParticipantID: Int64]) -> JSONValue {
    let sorted = times.sorted { $0.key < $1.key }
    return .object(JSONObject(sorted.map { ($0.key.description, NativeTime.milliseconds($0.value)) }))
  }

  /// One time for each participant that the object `name` has.
  private static func times(_ name: String, _ fields: NativeFields) throws(RoomRefusal) -> [ParticipantID: Int64] {
    guard let object = try fields.optionalObject(name) else { return [:] }
    let numbers = try object.numbers()
    guard numbers.count <= ClientReport.maximumDelays else {
      throw RoomRefusal(
        .tooMany, "stats has \(numbers.count) times in \"\(name)\"; there may be \(ClientReport.maximumDelays)")
    }
    var times: [ParticipantID: Int64] = [:]
    for (text, number) in numbers {
      guard let participant = ParticipantID(text) else {
        throw RoomRefusal(.unknownParticipant, "\"\(text.prefix(64))\" in \"\(name)\" is no participant")
      }
      times[participant] = try NativeTime.nanoseconds(number, of: text)
    }
    return times
  }
}

extension CandidateMessage {
  /// Longest candidate line, in bytes; real ones have about 150.
  package static let maximumLength = 1_024

  /// The format of a browser's `RTCIceCandidateInit`; null is the end of candidates.
  var json: JSONValue {
    guard !candidate.isEmpty else { return .null }
    var object: JSONObject = ["candidate": .string(candidate), "sdpMid": .optional(mid)]
    if let mLineIndex { object["sdpMLineIndex"] = .integer(Int64(mLineIndex)) }
    return .object(object)
  }

  /// Reads the member "candidate".
  init(memberOf fields: NativeFields) throws(RoomRefusal) {
    guard fields.has("candidate") else {
      throw RoomRefusal(.malformed, "\"candidate\" is missing; it must be an object, or null at the end of candidates")
    }
    guard let fields = try fields.optionalObject("candidate") else {
      self = .end
      return
    }
    let candidate = try fields.string("candidate")
    guard candidate.utf8.count <= CandidateMessage.maximumLength else {
      throw RoomRefusal(
        .invalidCandidate,
        "the candidate has \(candidate.utf8.count) bytes; it must have \(CandidateMessage.maximumLength) at most")
    }
    self.init(
      candidate: candidate, mid: try fields.optionalString("sdpMid"),
      mLineIndex: try fields.optionalInteger("sdpMLineIndex", in: 0...255))
  }
}

extension AudioSource {
  /// The word for the live mix in place of a participant's identifier.
  package static let mixName = "mix"
  /// The word for the live mix without the subscriber.
  package static let mixMinusName = "mix-minus"

  /// The parameters for this source.
  var native: JSONObject {
    switch self {
    case .participant(let participant): ["participant": .string(participant.description)]
    case .mix(nil): ["participant": .string(AudioSource.mixName)]
    case .mix(let left?):
      ["participant": .string(AudioSource.mixName), "without": .string(left.description)]
    case .mixMinus: ["participant": .string(AudioSource.mixMinusName)]
    }
  }
}
