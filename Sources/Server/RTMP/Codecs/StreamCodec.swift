import CAVCodec
import Signaling

/// A codec of RTMP that is decoded and encoded again as Opus, because the journal holds Opus.
enum StreamCodec: UInt8, Sendable, CaseIterable {
  case aac, mp3, flac, ac3, eac3

  /// Nil if the codec is not decoded here.
  init?(_ codec: AudioCodec) {
    switch codec {
    case .aac: self = .aac
    case .mp3, .mp38kHz: self = .mp3
    case .flac: self = .flac
    case .ac3: self = .ac3
    case .eac3: self = .eac3
    default: return nil
    }
  }

  var name: String {
    switch self {
    case .aac: "AAC"
    case .mp3: "MP3"
    case .flac: "FLAC"
    case .ac3: "AC-3"
    case .eac3: "E-AC-3"
    }
  }

  var identifier: jamjar_codec {
    switch self {
    case .aac: jamjar_aac
    case .mp3: jamjar_mp3
    case .flac: jamjar_flac
    case .ac3: jamjar_ac3
    case .eac3: jamjar_eac3
    }
  }

  /// True if frames are of no use before their configuration.
  var needsConfiguration: Bool { self == .aac || self == .flac }

  /// False for bytes that configure nothing, which some encoders send at their end.
  func isConfiguration(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .aac: AudioSpecificConfig(bytes) != nil
    case .flac: bytes.count >= StreamCodec.streamInfoLength
    case .mp3, .ac3, .eac3: false
    }
  }

  /// Bytes of FLAC's STREAMINFO.
  private static let streamInfoLength = 34

  /// True if a decoder with one configuration can go on with frames of the other.
  func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard self == .flac else { return one == other }
    // At its end FLAC repeats STREAMINFO with totals and digest; only rate, channels and bits matter (RFC 9639 8.2).
    return StreamCodec.format(one) == StreamCodec.format(other)
  }

  /// 20 bits of rate, 3 of channels, 5 of bits and the first 4 of the total, which are no part of the format.
  private static func format(_ flac: [UInt8]) -> [UInt8] {
    let head = flac.starts(with: Array("fLaC".utf8)) ? flac.dropFirst(8) : flac[...]
    var format = Array(head.dropFirst(10).prefix(4))
    if let last = format.last { format[format.count - 1] = last & 0xF0 }
    return format
  }
}

/// What a codec does to the time of its sound, in samples at the stream's rate.
///
/// RTMP carries no such facts, so these are constants: measured with libavcodec's encoders (aac, libmp3lame, ac3, eac3,
/// flac) and, for AAC with SBR, from the documentation of Fraunhofer's and Apple's (5,057 samples at 48 kHz).
struct CodecDelay: Hashable, Sendable {
  /// Samples that the encoder puts before its first input sample.
  var priming: Double
  /// How long after the end of a frame's sound the encoder can give the frame out: the frame overlaps with later
  /// sound, and its encoder looks ahead. An encoder for RTP that gives out packets at the end of their sound has 0.
  var lead: Double

  /// - Parameter configuration: of AAC, if there is one.
  init(_ codec: StreamCodec, configuration: AudioSpecificConfig?, rate: Int) {
    switch codec {
    case .aac:
      // With SBR the core runs at half of the rate that comes out, and its filter bank delays by 481 core samples.
      let isDoubled = configuration.map { rate >= 2 * $0.rate } ?? false
      let replication: Double = isDoubled || configuration?.hasSpectralReplication == true ? 481 : 0
      let scale: Double = isDoubled ? 2 : 1
      (priming, lead) = ((1_024 + replication) * scale, (2_048 + replication) * scale)
    case .mp3:
      priming = 1_105
      // Frames have 1,152 samples, those of low rates 576.
      lead = priming + (rate >= 32_000 ? 2 * 1_152 : 3 * 576)
    case .ac3, .eac3: (priming, lead) = (256, 256)
    case .flac: (priming, lead) = (0, 0)
    }
  }
}
