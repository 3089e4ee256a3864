import Machines

extension LiveMixer {
  /// How the mix is made.
  package struct Configuration: Hashable, Sendable {
    /// Length of the packets: 10 or 20 ms, whichever is nearer.
    package var packetTime: MonotonicTime.Span
    /// Bits per second of each output, stereo: 6,000 to 510,000.
    package var bitrate: Int
    /// libopus' effort, 0 (fast) to 10.
    package var complexity: Int
    /// Expected loss between server and listeners in percent, which makes libopus lean less on earlier packets.
    package var expectedLoss: Int
    /// The jitter delay counts from the quickest packet of the last ten seconds. The least, however even they come.
    package var minimumDelay: MonotonicTime.Span
    /// The jitter delay of a source that begins, of which nothing is known.
    package var startDelay: MonotonicTime.Span
    /// The greatest jitter delay; packets that are later are lost, and a buffer that is so much too deep is jumped over.
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

    /// Frames of a packet at 48 kHz.
    var frames: Int { packetTime < .milliseconds(15) ? 480 : 960 }

    /// The exact length of so many frames.
    var interval: MonotonicTime.Span { .milliseconds(Int64(frames / 48)) }

    /// Music in stereo, without in-band FEC: only SILK has it, and listeners' browsers conceal single losses well.
    var encoding: OpusEncoder.Settings {
      OpusEncoder.Settings(
        channels: 2, bitrate: min(max(bitrate, 6_000), 510_000), complexity: min(max(complexity, 0), 10),
        expectedLoss: min(max(expectedLoss, 0), 100))
    }
  }
}
