/// The codec of an RTMP audio message.
package enum AudioCodec: Hashable, Sendable, CaseIterable {
  case opus, flac, aac, mp3, ac3, eac3
  /// PCM in the sender's byte order (format 0), and little-endian PCM.
  case platformPCM, pcm
  case adpcm, nellymoser16kHz, nellymoser8kHz, nellymoser, g711ALaw, g711MuLaw, speex, mp38kHz, deviceSpecific

  /// The FourCC in Enhanced RTMP; nil for a codec of the legacy form only.
  var fourCC: String? {
    switch self {
    case .opus: "Opus"
    case .flac: "fLaC"
    case .aac: "mp4a"
    case .mp3: ".mp3"
    case .ac3: "ac-3"
    case .eac3: "ec-3"
    default: nil
    }
  }

  /// The high nibble of the first byte in the legacy form; nil for a codec of Enhanced RTMP only.
  var legacyFormat: UInt8? {
    switch self {
    case .platformPCM: 0
    case .adpcm: 1
    case .mp3: 2
    case .pcm: 3
    case .nellymoser16kHz: 4
    case .nellymoser8kHz: 5
    case .nellymoser: 6
    case .g711ALaw: 7
    case .g711MuLaw: 8
    case .aac: 10
    case .speex: 11
    case .mp38kHz: 14
    case .deviceSpecific: 15
    case .opus, .flac, .ac3, .eac3: nil
    }
  }

  /// For people: "e-ac-3".
  package var name: String {
    switch self {
    case .ac3: "ac-3"
    case .eac3: "e-ac-3"
    default: "\(self)"
    }
  }

  init?(fourCC: some Sequence<UInt8>) {
    let text = String(decoding: Array(fourCC), as: UTF8.self)
    guard let codec = AudioCodec.allCases.first(where: { $0.fourCC == text }) else { return nil }
    self = codec
  }

  init?(legacyFormat: UInt8) {
    guard let codec = AudioCodec.allCases.first(where: { $0.legacyFormat == legacyFormat }) else { return nil }
    self = codec
  }
}

/// The loudspeaker of each channel (packet type 4 of Enhanced RTMP v2).
package enum AudioChannels: Hashable, Sendable {
  case unspecified(count: UInt8)
  /// A bit mask of loudspeakers, in channel order.
  case native(count: UInt8, mask: UInt32)
  /// The loudspeaker number of each channel.
  case custom([UInt8])

  package var count: Int {
    switch self {
    case .unspecified(let count), .native(let count, _): Int(count)
    case .custom(let mapping): mapping.count
    }
  }

  init?(_ reader: inout ByteReader) {
    guard let order = reader.u8(), let count = reader.u8() else { return nil }
    switch order {
    case 0: self = .unspecified(count: count)
    case 1:
      guard let mask = reader.u32() else { return nil }
      self = .native(count: count, mask: mask)
    case 2:
      guard let mapping = reader.take(Int(count)) else { return nil }
      self = .custom(Array(mapping))
    default: return nil
    }
  }

  var bytes: [UInt8] {
    switch self {
    case .unspecified(let count): return [0, count]
    case .native(let count, let mask):
      var bytes: [UInt8] = [1, count]
      bytes.append(mask, octets: 4)
      return bytes
    case .custom(let mapping):
      let mapping = mapping.prefix(Int(UInt8.max))
      return [2, UInt8(mapping.count)] + mapping
    }
  }
}
