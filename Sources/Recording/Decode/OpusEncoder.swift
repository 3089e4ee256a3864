import COpus

/// libopus' encoder at 48 kHz, for live mixes, for audio received in other codecs, and for senders to Jamjar: the
/// demonstration's players, load tests and tests.
package final class OpusEncoder {
  /// The encoder's settings.
  package struct Settings: Hashable, Sendable {
    /// 1 or 2.
    package var channels: Int
    /// Bits per second, 6,000 to 510,000.
    package var bitrate: Int
    /// 0 (fast) to 10.
    package var complexity: Int
    /// True for the SILK and hybrid modes; only these can carry in-band FEC.
    package var isVoice: Bool
    /// Expected packet loss in percent; above 0 with `isVoice`, every packet repeats the one before it.
    package var expectedLoss: Int
    /// True to send nothing during silence (DTX).
    package var isDiscontinuous: Bool
    /// True to look ahead by 2.5 ms rather than 6.5: music only, without a change to the voice modes.
    package var isQuick: Bool
    /// Samples a second of what is encoded: 48,000, 24,000, 16,000, 12,000 or 8,000.
    package var rate: Int

    package init(
      channels: Int = 2, bitrate: Int = 128_000, complexity: Int = 5, isVoice: Bool = false, expectedLoss: Int = 0,
      isDiscontinuous: Bool = false, isQuick: Bool = false, rate: Int = 48_000
    ) {
      self.channels = channels == 1 ? 1 : 2
      self.bitrate = bitrate
      self.complexity = complexity
      self.isVoice = isVoice
      self.expectedLoss = expectedLoss
      self.isDiscontinuous = isDiscontinuous
      self.isQuick = isQuick
      self.rate = rate
    }
  }

  /// Size limit of a packet in bytes; one of 20 ms at 510 kbit/s has 1,275.
  private static let longestPacket = 4_000

  private let state: OpaquePointer
  private var buffer = [UInt8](repeating: 0, count: OpusEncoder.longestPacket)
  package let channels: Int

  /// - Throws: `OpusFailure` if libopus refuses the settings.
  package init(_ settings: Settings = Settings()) throws(OpusFailure) {
    var code: Int32 = 0
    let music = settings.isQuick ? OPUS_APPLICATION_RESTRICTED_LOWDELAY : OPUS_APPLICATION_AUDIO
    let application = settings.isVoice ? OPUS_APPLICATION_VOIP : music
    guard
      let state = opus_encoder_create(
        Int32(clamping: settings.rate), Int32(settings.channels), application, &code), code == OPUS_OK
    else {
      throw OpusFailure(
        code: code, operation: "create an encoder of \(settings.rate) Hz with \(settings.channels) channels")
    }
    self.state = state
    channels = settings.channels
    _ = copus_encoder_set_bitrate(state, Int32(clamping: settings.bitrate))
    _ = copus_encoder_set_complexity(state, Int32(clamping: settings.complexity))
    _ = copus_encoder_force_channels(state, Int32(settings.channels))
    if settings.isVoice { _ = copus_encoder_set_voice(state) }
    if settings.expectedLoss > 0 {
      _ = copus_encoder_set_inband_fec(state, 1)
      _ = copus_encoder_set_packet_loss(state, Int32(clamping: settings.expectedLoss))
    }
    if settings.isDiscontinuous { _ = copus_encoder_set_dtx(state, 1) }
  }

  deinit {
    opus_encoder_destroy(state)
  }

  /// Encodes the interleaved samples of one packet: 120, 240, 480, 960, 1920 or 2880 frames at 48 kHz, and as long a time
  /// at other rates.
  /// - Throws: `OpusFailure` for other lengths.
  package func encode(_ samples: [Float]) throws(OpusFailure) -> [UInt8] {
    let frames = samples.count / channels
    let count = samples.withUnsafeBufferPointer { samples -> Int32 in
      buffer.withUnsafeMutableBufferPointer { buffer in
        guard let samples = samples.baseAddress, let bytes = buffer.baseAddress else { return OPUS_BAD_ARG }
        return opus_encode_float(state, samples, Int32(clamping: frames), bytes, Int32(buffer.count))
      }
    }
    guard count >= 0 else { throw OpusFailure(code: count, operation: "encode \(frames) frames") }
    return Array(buffer.prefix(Int(count)))
  }
}
