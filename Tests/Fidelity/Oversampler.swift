import Glibc

/// Finds how high a signal swings between its samples: sixteenfold oversampling by a windowed sinc of 128 taps.
struct Oversampler {
  private static let factor = 16
  private static let reach = 64

  private let phases: [[Double]] = (0..<factor).map { phase in
    let fraction = Double(phase) / Double(factor)
    let taps = (0..<(reach * 2)).map { index in
      let distance = Double(index - reach + 1) - fraction
      let window = pow(cos(.pi / 2 * distance / Double(reach + 1)), 2)
      return (distance == 0 ? 1 : sin(.pi * distance) / (.pi * distance)) * window
    }
    let sum = taps.reduce(0, +)
    return taps.map { $0 / sum }
  }

  /// The highest absolute value, 1 for full scale; samples whose neighbourhood is far below it are passed over.
  func peak(of samples: [Float]) -> Double {
    var highest = Double(samples.map(abs).max() ?? 0)
    guard highest > 0, samples.count > Oversampler.reach * 2 else { return highest }
    // What peaks between two samples has a loud one next to it.
    let loud = Float(highest * 0.6)
    for index in 0..<(samples.count - Oversampler.reach * 2) {
      let center = index + Oversampler.reach - 1
      guard abs(samples[center]) >= loud || abs(samples[center + 1]) >= loud else { continue }
      for phase in phases.dropFirst() {
        var sum = 0.0
        for tap in 0..<(Oversampler.reach * 2) { sum += phase[tap] * Double(samples[index + tap]) }
        highest = max(highest, abs(sum))
      }
    }
    return highest
  }
}
