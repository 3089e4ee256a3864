/// Sums tracks to stereo and limits the sum, block by block.
///
/// Every track comes in with the same gain unless it is said otherwise; -3 dB each lets three equally loud, unrelated
/// tracks come out little louder than one, so that the limiter has only peaks to catch.
package struct Mixer: Sendable {
  /// Gain of a track for which none is set, in dB.
  package static let defaultGain = Gain(decibels: -3)
  /// Frames by which `process` delays; the caller drops as many at the start and asks for as many at the end.
  package static let latency = Limiter.latency

  private var limiter: Limiter
  private var sum: [Float]
  private let frames: Int

  /// Mixes blocks of `frames` frames.
  package init(frames: Int) {
    self.frames = frames
    limiter = Limiter(frames: frames)
    sum = [Float](repeating: 0, count: frames * 2)
  }

  /// Adds one track's block of up to `frames` frames: mono (both sides alike) or interleaved stereo.
  package mutating func add(
    _ block: UnsafeBufferPointer<Float>, channels: Int, gain: Gain = Mixer.defaultGain
  ) {
    let factor = gain.factor
    let frames = min(frames, block.count / max(1, channels))
    sum.withUnsafeMutableBufferPointer { sum in
      guard let sum = sum.baseAddress, let block = block.baseAddress else { return }
      if channels == 2 {
        for index in 0..<(frames * 2) { sum[index] += block[index] * factor }
      } else {
        for index in 0..<frames {
          let sample = block[index] * factor
          sum[index * 2] += sample
          sum[index * 2 + 1] += sample
        }
      }
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
