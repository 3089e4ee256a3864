import Music
import Recording
import Signaling

extension Representation {
  /// A wish as the body of `POST /v1/takes/TAKE/exports`: the inverse of REST's parsing.
  ///
  /// - Parameter tracks: the take's tracks. Musicians are given as track identifiers, which cannot be names.
  package static func export(_ wish: ExportWish, of tracks: [Track]) -> JSONObject {
    func identifier(_ number: Int) -> JSONValue {
      .string(tracks.first { $0.number == number }?.id.description ?? "\(number)")
    }
    var body: JSONObject = [
      "kind": .string(wish.kind.rawValue), "format": .string(wish.format.rawValue), "rate": .integer(Int64(wish.rate)),
      "mix": .object(mix(wish.settings)),
    ]
    switch wish.perspective {
    case .asPlayed: break
    case .heard(let listener): body["perspective"] = identifier(listener)
    case .following(let leader): body["follow"] = identifier(leader)
    }
    if wish.source != .take { body["source"] = .string(wish.source.rawValue) }
    if wish.hasBacking { body["backing"] = true }
    return body
  }

  /// The settings of a mix as in a request for an export, without those equal to the take's own mix: the inverse of
  /// REST's parsing. Times in seconds.
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

  /// Samples as seconds. Exact: a sample lasts 20 µs, and a JSON number has 15 digits.
  private static func time(_ samples: Int64) -> JSONValue { .number(SamplePosition(samples).seconds) }
}
