import Glibc

/// Finds stretches of noise in a recording.
struct NoiseFinder {
  struct Match {
    /// Samples by which it lies later than expected.
    var lag: Double
    /// 1 is the same at any level, 0 has nothing in common.
    var likeness: Double
  }

  let sound: [Float]
  let noise: [Float]
  /// Sums of the squares of all samples of `sound` before an index.
  private let energy: [Double]

  init(sound: [Float], noise: [Float]) {
    (self.sound, self.noise) = (sound, noise)
    var energy = [Double](repeating: 0, count: sound.count + 1)
    for index in sound.indices { energy[index + 1] = energy[index] + Double(sound[index]) * Double(sound[index]) }
    self.energy = energy
  }

  /// The level of `count` samples at `start` as a share of the noise's there, 0 outside the recording.
  func loudness(at start: Int, count: Int, of noiseStart: Int) -> Double {
    guard start >= 0, start + count <= sound.count else { return 0 }
    let expected = noise[noiseStart..<(noiseStart + count)].reduce(0.0) { $0 + Double($1) * Double($1) }
    return expected > 0 ? ((energy[start + count] - energy[start]) / expected).squareRoot() : 0
  }

  /// Where `count` samples of the noise from `noiseStart` on fit best within `reach` samples of `place`; nil where the
  /// recording does not reach so far.
  func find(_ noiseStart: Int, count: Int, at place: Double, reach: Int) -> Match? {
    let center = Int(place.rounded())
    let low = max(0, center - reach)
    let high = min(sound.count - count, center + reach)
    guard high >= low, noiseStart >= 0, noiseStart + count <= noise.count else { return nil }
    let wanted = noise[noiseStart..<(noiseStart + count)].reduce(0.0) { $0 + Double($1) * Double($1) }
    guard wanted > 0 else { return nil }
    var best = (start: low, score: -1.0)
    sound.withUnsafeBufferPointer { sound in
      noise.withUnsafeBufferPointer { noise in
        guard let a = sound.baseAddress, let b = noise.baseAddress else { return }
        for start in low...high {
          let score = score(a, b, start, noiseStart, count, wanted)
          if score > best.score { best = (start, score) }
        }
      }
    }
    guard best.score > 0 else { return Match(lag: 0, likeness: 0) }
    var exact = Double(best.start)
    if best.start > 0, best.start + count < sound.count {
      let beside = [best.start - 1, best.start + 1].map { start in
        sound.withUnsafeBufferPointer { sound in
          noise.withUnsafeBufferPointer { noise in
            guard let a = sound.baseAddress, let b = noise.baseAddress else { return -1.0 }
            return score(a, b, start, noiseStart, count, wanted)
          }
        }
      }
      let curvature = beside[0] - 2 * best.score + beside[1]
      if curvature < 0 { exact += max(-0.5, min(0.5, (beside[0] - beside[1]) / (2 * curvature))) }
    }
    return Match(lag: exact - place, likeness: best.score)
  }

  private func score(
    _ sound: UnsafePointer<Float>, _ noise: UnsafePointer<Float>, _ start: Int, _ noiseStart: Int, _ count: Int,
    _ wanted: Double
  ) -> Double {
    let found = energy[start + count] - energy[start]
    // What is 40 dB below the noise is silence.
    guard found > wanted * 1e-4 else { return 0 }
    var sums = SIMD8<Float>.zero
    let (a, b) = (UnsafeRawPointer(sound + start), UnsafeRawPointer(noise + noiseStart))
    var index = 0
    while index + 8 <= count {
      sums +=
        a.loadUnaligned(fromByteOffset: index * 4, as: SIMD8<Float>.self)
        * b.loadUnaligned(fromByteOffset: index * 4, as: SIMD8<Float>.self)
      index += 8
    }
    return Double(sums.sum()) / (found * wanted).squareRoot()
  }
}
