/// Sums tracks to stereo and limits the sum, block by block.
///
/// Every track comes in with the same gain unless it is said otherwise; -3 dB each lets three equally loud, unrelated
/// tracks come out little louder than one, so that the limiter has only peaks to catch.
package struct Mixer: Sendable {
  /// Gain of a track for which none is set, in dB.
  package static let defaultGain = Gain(decibels: defaultDecibels)
  /// The same in dB.
  package static let defaultDecibels = -3.0
  /// Frames by which `process` delays; the caller drops as many at the start and asks for as many at the end.
  package static let latency = Limiter.latency
  /// The highest true peak of a mix where no other is asked for, in dBTP.
  package static let ceiling = Limiter.ceiling
  /// How far below its ceiling the limiter begins to act, in dB.
  static let margin = Limiter.margin

  private var limiter: Limiter
  private var sum: [Float]
  private let frames: Int

  /// Mixes blocks of `frames` frames; nothing that leaves it swings above `ceiling` dBTP.
  package init(frames: Int, ceiling: Double = Mixer.ceiling) {
    self.frames = frames
    limiter = Limiter(frames: frames, ceiling: ceiling)
    sum = [Float](repeating: 0, count: frames * 2)
  }

  /// Adds one track's block of up to `frames` frames: mono (both sides alike) or interleaved stereo.
  package mutating func add(
    _ block: UnsafeBufferPointer<Float>, channels: Int, gain: Gain = Mixer.defaultGain
  ) {
    add(block, channels: channels, left: gain.factor, right: gain.factor)
  }

  /// Adds one track's block with a factor for each side.
  mutating func add(_ block: UnsafeBufferPointer<Float>, channels: Int, left: Float, right: Float) {
    let frames = min(frames, block.count / max(1, channels))
    sum.withUnsafeMutableBufferPointer { sum in
      guard let sum = sum.baseAddress, let block = block.baseAddress else { return }
      if channels == 2, left == right {
        for index in 0..<(frames * 2) { sum[index] += block[index] * left }
      } else {
        let step = channels == 2 ? 2 : 1
        for index in 0..<frames {
          sum[index &* 2] += block[index &* step] * left
          sum[index &* 2 &+ 1] += block[index &* step &+ (step - 1)] * right
        }
      }
    }
  }

  /// Hands over what was added as it is; the next block begins empty.
  mutating func sum(_ body: (UnsafeBufferPointer<Float>) throws -> Void) rethrows {
    try sum.withUnsafeMutableBufferPointer { sum in
      try body(UnsafeBufferPointer(sum))
      sum.update(repeating: 0)
    }
  }

  /// Limits what was added and hands it over (interleaved, `latency` frames late); the next block begins empty.
  package mutating func process(_ body: (UnsafeBufferPointer<Float>) throws -> Void) rethrows {
    try sum.withUnsafeMutableBufferPointer { sum in
      limiter.process(sum)
      try body(UnsafeBufferPointer(sum))
      sum.update(repeating: 0)
    }
  }
}
