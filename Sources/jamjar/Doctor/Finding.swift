import Signaling

/// One thing that the doctor looked at: how it is, and what to do unless all is well.
struct Finding: Hashable, Sendable {
  /// What was looked at; the name for programs.
  enum Check: String, Sendable {
    case service, port, page, certificate, name, reach, address, media, relay, clock, disk, descriptors, loopback
  }

  enum Level: String, Sendable {
    case ok
    /// It works, but not for everybody or not for long.
    case warning
    case failure
    /// It cannot be told, for example without a network.
    case unknown
  }

  var check: Check
  var level: Level
  var sentence: String
  /// What to do; nil where nothing is to be done.
  var remedy: String?

  init(_ check: Check, _ level: Level, _ sentence: String, remedy: String? = nil) {
    self.check = check
    self.level = level
    self.sentence = sentence
    self.remedy = remedy
  }

  /// For programs.
  var json: JSONValue {
    var object: JSONObject = [
      "check": .string(check.rawValue), "level": .string(level.rawValue), "sentence": .string(sentence),
    ]
    if let remedy { object["remedy"] = .string(remedy) }
    return .object(object)
  }
}
