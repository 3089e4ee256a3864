import Machines

extension LiveMixer {
  /// The settings of the mix.
  package struct Configuration: Hashable, Sendable {
    /// Length of the packets: 10 or 20 ms, whichever is nearer.
    package var packetTime: MonotonicTime.Span
    /// Bits per second of each output, stereo: 6,000 to 510,000.
    package var bitrate: Int
    /// libopus' complexity, 0 (fast) to 10.
    package var complexity: Int
    /// Expected loss between server and listeners in percent, which makes libopus rely less on earlier packets.
    package var expectedLoss: Int
    /// Minimum jitter delay, however even the arrivals; it counts from the fastest packet of the last ten seconds.
    package var minimumDelay: MonotonicTime.Span
    /// The initial jitter delay of a new source.
    package var startDelay: MonotonicTime.Span
    /// The maximum jitter delay. Later packets are lost; a buffer this much too deep is skipped.
    package var maximumDelay: MonotonicTime.Span
    /// The highest true peak before encoding, in dBTP.
    package var ceiling: Double

    package init(
      packetTime: MonotonicTime.Span = .milliseconds(20), bitrate: Int = 128_000, complexity: Int = 5,
      expectedLoss: Int = 0, minimumDelay: MonotonicTime.Span = .milliseconds(20),
      startDelay: MonotonicTime.Span = .milliseconds(40), maximumDelay: MonotonicTime.Span = .milliseconds(200),
      ceiling: Double = Mixer.ceiling
    ) {
      self.packetTime = packetTime
      self.bitrate = bitrate
      self.complexity = complexity
      self.expectedLoss = expectedLoss
      self.minimumDelay = minimumDelay
      self.startDelay = startDelay
      self.maximumDelay = maximumDelay
      self.ceiling = ceiling
    }

    /// Frames per packet at 48 kHz.
    var frames: Int { packetTime < .milliseconds(15) ? 480 : 960 }

    /// The exact length of `frames`.
    var interval: MonotonicTime.Span { .milliseconds(Int64(frames / 48)) }

    /// Stereo music without in-band FEC: only SILK supports it, and listeners' browsers conceal single losses well.
    var encoding: OpusEncoder.Settings {
      OpusEncoder.Settings(
        channels: 2, bitrate: min(max(bitrate, 6_000), 510_000), complexity: min(max(complexity, 0), 10),
        expectedLoss: min(max(expectedLoss, 0), 100), isQuick: true)
    }
  }
}
