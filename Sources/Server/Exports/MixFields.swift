import Machines
import Music
import Signaling

/// Parses the settings of a mix from JSON: positions and lengths in seconds, or the identifier of a cue.
struct MixFields {
  let cues: [Cue]

  private static let names = ["channels", "gain", "normalization", "fadeIn", "fadeOut", "from", "to"]
  private static let channelNames = ["gain", "pan", "mute", "solo", "offset", "highPass"]
  /// Maximum position in seconds: a hundred days, far from any overflow.
  private static let longest = 8_640_000.0

  func settings(_ object: JSONObject) throws(Problem) -> MixSettings {
    try known(object, MixFields.names, "mix")
    var settings = MixSettings()
    if let channels = try member(object, "channels", "mix") {
      for channel in channels.members {
        guard let number = Int(channel.name), number >= 1, String(number) == channel.name else {
          throw Problem.invalid(
            "mix.channels", value: channel.name, "the members of \"channels\" are numbers of tracks", permitted: [])
        }
        guard let values = channel.value.object else {
          throw kind("mix.channels.\(number)", channel.value, "an object")
        }
        settings.channels[number] = try self.channel(values, "mix.channels.\(number)")
      }
    }
    settings.gain = try number(object, "gain", "mix") ?? 0
    if let values = try member(object, "normalization", "mix") {
      try known(values, ["loudness", "truePeak"], "mix.normalization")
      guard let loudness = try number(values, "loudness", "mix.normalization") else {
        throw Problem.invalid("mix.normalization.loudness", value: nil, "the loudness to reach is missing, in LUFS")
      }
      settings.normalization = .init(loudness: loudness)
      if let peak = try number(values, "truePeak", "mix.normalization") { settings.normalization?.truePeak = peak }
    }
    settings.fadeIn = try samples(object, "fadeIn", "mix") ?? 0
    settings.fadeOut = try samples(object, "fadeOut", "mix") ?? 0
    return settings
  }

  private func channel(_ object: JSONObject, _ field: String) throws(Problem) -> MixSettings.Channel {
    try known(object, MixFields.channelNames, field)
    return MixSettings.Channel(
      gain: try number(object, "gain", field) ?? 0, pan: try number(object, "pan", field) ?? 0,
      isMuted: try flag(object, "mute", field), isSolo: try flag(object, "solo", field),
      offset: try samples(object, "offset", field) ?? 0, highPass: try number(object, "highPass", field))
  }

  // MARK: Members

  private func known(_ object: JSONObject, _ names: [String], _ field: String) throws(Problem) {
    for member in object.members where !names.contains(member.name) {
      throw Problem.invalid(
        "\(field).\(member.name.prefix(64))", value: member.value.string ?? member.value.text,
        "there is no field \"\(member.name.prefix(64))\" in \"\(field)\"", permitted: names)
    }
  }

  private func value(_ object: JSONObject, _ name: String) -> JSONValue? {
    object[name].flatMap { $0 == .null ? nil : $0 }
  }

  private func kind(_ field: String, _ value: JSONValue, _ expected: String) -> Problem {
    Problem.invalid(field, value: value.string ?? value.text, "\"\(field)\" is \(value.kind); it must be \(expected)")
  }

  private func member(_ object: JSONObject, _ name: String, _ field: String) throws(Problem) -> JSONObject? {
    guard let value = value(object, name) else { return nil }
    guard let found = value.object else { throw kind("\(field).\(name)", value, "an object") }
    return found
  }

  private func number(_ object: JSONObject, _ name: String, _ field: String) throws(Problem) -> Double? {
    guard let value = value(object, name) else { return nil }
    guard let number = value.double, number.isFinite else { throw kind("\(field).\(name)", value, "a number") }
    return number
  }

  private func flag(_ object: JSONObject, _ name: String, _ field: String) throws(Problem) -> Bool {
    guard let value = value(object, name) else { return false }
    guard let flag = value.bool else { throw kind("\(field).\(name)", value, "true or false") }
    return flag
  }

  /// Seconds as whole samples.
  private func samples(_ object: JSONObject, _ name: String, _ field: String) throws(Problem) -> Int64? {
    guard let seconds = try number(object, name, field) else { return nil }
    return try samples(seconds, "\(field).\(name)")
  }

  private func samples(_ seconds: Double, _ field: String) throws(Problem) -> Int64 {
    guard abs(seconds) <= MixFields.longest else {
      throw Problem.invalid(field, value: "\(seconds)", "\"\(field)\" must be seconds within the take")
    }
    return Int64(saturating: seconds * Double(SamplePosition.rate))
  }

  /// A position: seconds, or a cue.
  func place(_ object: JSONObject, _ name: String) throws(Problem) -> SamplePosition? {
    guard let value = value(object, name) else { return nil }
    if let text = value.string {
      guard let cue = cues.first(where: { $0.id.description == text }) else {
        throw Problem.invalid(
          "mix.\(name)", value: text, "the take has no cue of that identifier",
          permitted: cues.map(\.id.description))
      }
      return cue.position
    }
    guard let seconds = value.double, seconds.isFinite else {
      throw kind("mix.\(name)", value, "seconds, or the identifier of a cue")
    }
    return SamplePosition(try samples(seconds, "mix.\(name)"))
  }
}
