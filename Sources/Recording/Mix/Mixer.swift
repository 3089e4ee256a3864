/// Sums tracks to stereo and limits the sum, block by block.
///
/// By default all tracks have the same gain, -3 dB. Three equally loud, unrelated tracks then come out little louder
/// than one, so that the limiter only has to catch peaks.
///
/// ```swift
/// var mixer = Mixer(frames: 960)
/// mixer.add(guitar, channels: 1)
/// mixer.add(piano, channels: 2, gain: Gain(decibels: -6))
/// mixer.process { mix in output.append(contentsOf: mix) }
/// ```
package struct Mixer: Sendable, Codable {
  /// The default gain of a track.
  package static let defaultGain = Gain(decibels: defaultDecibels)
  /// The default gain of a track, in dB.
  package static let defaultDecibels = -3.0
  /// Delay of `process` in frames; the caller drops this many at the start and requests as many more at the end.
  package static let latency = Limiter.latency
  /// The default ceiling of a mix, in dBTP.
  package static let ceiling = Limiter.ceiling
  /// Distance below the ceiling at which the limiter starts to act, in dB.
  static let margin = Limiter.margin

  private var limiter: Limiter
  private var sum: [Float]
  private let frames: Int

  /// Creates a mixer for blocks of `frames` frames with a ceiling of `ceiling` dBTP.
  package init(frames: Int, ceiling: Double = Mixer.ceiling) {
    self.frames = frames
    limiter = Limiter(frames: frames, ceiling: ceiling)
    sum = [Float](repeating: 0, count: frames * 2)
  }

  /// Adds one track's block of up to `frames` frames: mono (to both sides) or interleaved stereo.
  package mutating func add(
    _ block: UnsafeBufferPointer<Float>, channels: Int, gain: Gain = Mixer.defaultGain
  ) {
    add(block, channels: channels, left: gain.factor, right: gain.factor)
  }

  /// Adds one track's block with a gain for each side.
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

  /// Passes the sum to `body` without limiting, then clears it.
  mutating func sum(_ body: (UnsafeBufferPointer<Float>) throws -> Void) rethrows {
    try sum.withUnsafeMutableBufferPointer { sum in
      try body(UnsafeBufferPointer(sum))
      sum.update(repeating: 0)
    }
  }

  /// Limits the sum and passes it to `body` (interleaved, `latency` frames late), then clears it.
  package mutating func process(_ body: (UnsafeBufferPointer<Float>) throws -> Void) rethrows {
    try sum.withUnsafeMutableBufferPointer { sum in
      limiter.process(sum)
      try body(UnsafeBufferPointer(sum))
      sum.update(repeating: 0)
    }
  }
}
