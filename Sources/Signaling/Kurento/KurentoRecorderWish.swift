import Music

/// A customRequest to the recorder: the key "recorder" with one word, and the parameters of that word.
///
/// All values are strings, because the clients of iOS and Android cannot send anything else.
package enum KurentoRecorderWish: Hashable, Sendable {
  case startTake(song: String?)
  case stopTake
  case splitTake(song: String?)
  case cue(String)
  /// The next song: splits the rolling take, or begins one.
  case song(String)
  case status
  /// Starts or stops notifications of takes and cues by custonNotification.
  case events(Bool)

  /// The words of the key "recorder".
  package enum Word: String, Hashable, Sendable, CaseIterable {
    case startTake = "take.start"
    case stopTake = "take.stop"
    case splitTake = "take.split"
    case cue, song, status, events
  }

  /// - Throws: -32601 for an unknown word, -32602 if a parameter is missing.
  init(_ parameters: JSONObject) throws(JSONRPCError) {
    let fields = JSONRPCFields(parameters, of: "the parameters of customRequest")
    guard let word = parameters["recorder"]?.string.flatMap(Word.init) else {
      let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw JSONRPCError(
        code: JSONRPCError.unknownMethod,
        "Unsupported method: customRequest takes {\"recorder\":\"…\"} with one of \(words)")
    }
    switch word {
    case .startTake: self = .startTake(song: try fields.optionalString("song"))
    case .stopTake: self = .stopTake
    case .splitTake: self = .splitTake(song: try fields.optionalString("song"))
    case .cue: self = .cue(try fields.string("text"))
    case .song: self = .song(try fields.string("song"))
    case .status: self = .status
    case .events:
      switch try fields.string("value") {
      case "on": self = .events(true)
      case "off": self = .events(false)
      default:
        throw JSONRPCError(
          code: JSONRPCError.invalidParameters,
          "\"value\" in the parameters of customRequest must be \"on\" or \"off\"")
      }
    }
  }

  /// The parameters of the customRequest.
  package var parameters: JSONObject {
    switch self {
    case .startTake(let song): KurentoRecorderWish.parameters(.startTake, "song", song)
    case .stopTake: KurentoRecorderWish.parameters(.stopTake)
    case .splitTake(let song): KurentoRecorderWish.parameters(.splitTake, "song", song)
    case .cue(let text): KurentoRecorderWish.parameters(.cue, "text", text)
    case .song(let song): KurentoRecorderWish.parameters(.song, "song", song)
    case .status: KurentoRecorderWish.parameters(.status)
    case .events(let isOn): KurentoRecorderWish.parameters(.events, "value", isOn ? "on" : "off")
    }
  }

  private static func parameters(_ word: Word, _ name: String = "", _ value: String? = nil) -> JSONObject {
    var parameters: JSONObject = ["recorder": .string(word.rawValue)]
    if let value { parameters[name] = .string(value) }
    return parameters
  }
}

/// The content of custonNotification, for sessions that subscribed.
enum KurentoRecorderEvent {
  static func started(_ take: RoomSnapshot.RollingTake) -> JSONObject {
    var members: JSONObject = ["recorder": "take.started"]
    for member in description(of: take).members { members[member.name] = member.value }
    return members
  }

  static func stopped(_ take: TakeID) -> JSONObject {
    ["recorder": "take.stopped", "take": .string(take.description)]
  }

  static func finished(_ take: TakeID, _ state: TakeState) -> JSONObject {
    ["recorder": "take.finished", "take": .string(take.description), "state": .string(state.rawValue)]
  }

  static func cue(_ take: TakeID, _ cue: Cue) -> JSONObject {
    [
      "recorder": "cue", "take": .string(take.description), "text": .string(cue.text),
      "position": .measure(cue.position.seconds),
    ]
  }

  /// "take", "number", and "song" if it has one.
  static func description(of take: RoomSnapshot.RollingTake) -> JSONObject {
    var members: JSONObject = ["take": .string(take.id.description), "number": .integer(Int64(take.number))]
    if let song = take.song { members["song"] = .string(song.title) }
    return members
  }

  /// The answer to "status".
  static func status(_ take: RoomSnapshot.RollingTake?) -> JSONObject {
    var members: JSONObject = ["recording": .bool(take != nil)]
    for member in take.map(description(of:))?.members ?? [] { members[member.name] = member.value }
    return members
  }
}
