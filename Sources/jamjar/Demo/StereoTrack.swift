/// An interleaved stereo track to which sounds are added.
struct StereoTrack {
  private var samples: [Float]

  init(frames: Int) {
    samples = Array(repeating: 0, count: 2 * frames)
  }

  /// Adds a mono sound at a frame; anything beyond the track's end is cut.
  /// - Parameter pan: −1 left, 1 right; constant power.
  mutating func add(_ sound: [Float], at start: Int, gain: Float, pan: Float) {
    let angle = Double(pan + 1) * 0.125
    let left = gain * Float(DemoMath.sine(0.25 + angle))
    let right = gain * Float(DemoMath.sine(angle))
    for (frame, value) in sound.enumerated() where 2 * (start + frame) + 1 < samples.count {
      samples[2 * (start + frame)] += value * left
      samples[2 * (start + frame) + 1] += value * right
    }
  }

  /// The samples, scaled so that the highest is at `peak`.
  func normalised(to peak: Float) -> [Float] {
    let highest = samples.reduce(0) { max($0, abs($1)) }
    guard highest > 0 else { return samples }
    return samples.map { $0 * peak / highest }
  }
}
