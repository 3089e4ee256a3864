import Signaling

/// One thing that the doctor looked at: how it is, and what to do unless all is well.
package struct Finding: Hashable, Sendable, Codable {
  /// What was looked at; the name for programs.
  package enum Check: String, Sendable, Codable {
    case service, port, page, certificate, name, reach, address, media, relay, clock, disk, descriptors, loopback
  }

  package enum Level: String, Sendable, Codable {
    case ok
    /// It works, but not for everybody or not for long.
    case warning
    case failure
    /// It cannot be told, for example without a network.
    case unknown
  }

  package var check: Check
  package var level: Level
  package var sentence: String
  /// What to do; nil where nothing is to be done.
  package var remedy: String?

  package init(_ check: Check, _ level: Level, _ sentence: String, remedy: String? = nil) {
    self.check = check
    self.level = level
    self.sentence = sentence
    self.remedy = remedy
  }

  /// For programs.
  package var json: JSONValue {
    var object: JSONObject = [
      "check": .string(check.rawValue), "level": .string(level.rawValue), "sentence": .string(sentence),
    ]
    if let remedy { object["remedy"] = .string(remedy) }
    return .object(object)
  }
}
