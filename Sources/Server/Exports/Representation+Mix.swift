import Music
import Signaling

extension Representation {
  /// The settings of a mix as a request for an export has them, only what differs from the take's own mix: the inverse
  /// of what REST reads. Times in seconds.
  package static func mix(_ settings: MixSettings) -> JSONObject {
    var object: JSONObject = [:]
    var channels: JSONObject = [:]
    for (number, channel) in settings.channels.sorted(by: { $0.key < $1.key }) where channel != .init() {
      channels["\(number)"] = .object(Representation.channel(channel))
    }
    if !channels.members.isEmpty { object["channels"] = .object(channels) }
    if settings.gain != 0 { object["gain"] = .number(settings.gain) }
    if let normalization = settings.normalization {
      object["normalization"] = [
        "loudness": .number(normalization.loudness), "truePeak": .number(normalization.truePeak),
      ]
    }
    if settings.fadeIn != 0 { object["fadeIn"] = time(settings.fadeIn) }
    if settings.fadeOut != 0 { object["fadeOut"] = time(settings.fadeOut) }
    if let range = settings.range {
      object["from"] = time(range.lowerBound.samples)
      object["to"] = time(range.upperBound.samples)
    }
    return object
  }

  private static func channel(_ channel: MixSettings.Channel) -> JSONObject {
    var object: JSONObject = [:]
    if channel.gain != 0 { object["gain"] = .number(channel.gain) }
    if channel.pan != 0 { object["pan"] = .number(channel.pan) }
    if channel.isMuted { object["mute"] = true }
    if channel.isSolo { object["solo"] = true }
    if channel.offset != 0 { object["offset"] = time(channel.offset) }
    if let corner = channel.highPass { object["highPass"] = .number(corner) }
    return object
  }

  /// Exact: a sample is 20 µs, a number of JSON has 15 digits.
  private static func time(_ samples: Int64) -> JSONValue { .number(SamplePosition(samples).seconds) }
}
