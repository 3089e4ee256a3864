import Music

/// One output of the live mix: summing, limiting, encoding.
struct LiveMixBus {
  let output: LiveMixOutput
  private let encoder: OpusEncoder
  private var limiter: Limiter
  private var sum: [Float]
  private let frames: Int
  private let ceiling: Double
  /// The sample value above which the limiter acts.
  private let limit: Float
  private(set) var limitedFrames = 0

  /// - Throws: `OpusFailure` if libopus refuses the settings.
  init(_ output: LiveMixOutput, _ configuration: LiveMixer.Configuration) throws(OpusFailure) {
    self.output = output
    frames = configuration.frames
    ceiling = min(configuration.ceiling, 0)
    encoder = try OpusEncoder(configuration.encoding)
    limiter = Limiter(frames: frames, ceiling: ceiling)
    limit = Gain(decibels: ceiling - Limiter.margin).factor
    sum = [Float](repeating: 0, count: frames * 2)
  }

  /// Discards the limiter's look-ahead after a jump of the time line.
  mutating func cut() {
    limiter = Limiter(frames: frames, ceiling: ceiling)
  }

  /// Encodes the packet of the sources' current blocks.
  /// - Throws: `OpusFailure` if libopus cannot encode it.
  mutating func packet(of sources: [LiveSource]) throws(OpusFailure) -> [UInt8] {
    sum.withUnsafeMutableBufferPointer { sum in
      sum.update(repeating: 0)
      for source in sources where source.isSounding && output.contains(source.id) {
        source.block.withUnsafeBufferPointer { block in
          for index in 0..<min(sum.count, block.count) { sum[index] += block[index] }
        }
      }
      if SamplePeak.highest(UnsafeBufferPointer(sum)) > limit { limitedFrames += LiveMixBus.loud(sum, above: limit) }
      limiter.process(sum)
    }
    return try encoder.encode(sum)
  }

  private static func loud(_ samples: UnsafeMutableBufferPointer<Float>, above limit: Float) -> Int {
    (0..<(samples.count / 2)).count { max(samples[$0 &* 2].magnitude, samples[$0 &* 2 &+ 1].magnitude) > limit }
  }
}
