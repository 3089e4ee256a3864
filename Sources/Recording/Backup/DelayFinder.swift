import Glibc

/// Finds the delays at which a stretch of a backup fits a stretch of the take, within some thousandths of a second.
///
/// It uses generalised cross correlation. The spectrum is flattened most of the way, so that a bass note does not
/// mask the details that distinguish one period from the next; codecs preserve phase and so have little influence.
struct DelayFinder {
  /// Samples per window: 0.68 s.
  static let window = 32_768
  /// Maximum delay either way, in samples: 21 ms.
  static let reach = 1_024
  /// How far the spectrum is flattened: 0 not at all, 1 completely.
  private static let flattening: Float = 0.7
  /// Bins from 60 Hz to 16 kHz, 1.46 Hz apart.
  private static let bins = 41..<10_923
  private static let maxima = Maxima(contest: 0.5)

  private let transform = FourierTransform(DelayFinder.window)
  private let taper: [Float] = {
    // Silent ends prevent wrap-around for delays within reach.
    let quiet = [Float](repeating: 0, count: reach)
    return quiet + CrossSpectrum.hann(window - 2 * reach) + quiet
  }()

  /// The best-fitting delays of `backup` relative to `take`; the score is 1 if all phases agree.
  func fits(_ take: [Float], _ backup: [Float]) -> [PathSearch.Node] {
    var tapered = take
    for index in tapered.indices { tapered[index] *= taper[index] }
    let spectrum = CrossSpectrum(tapered, backup, transform)
    var (real, imaginary) = (spectrum.real, spectrum.imaginary)
    var sum: Float = 0
    for bin in real.indices {
      let size = (real[bin] * real[bin] + imaginary[bin] * imaginary[bin]).squareRoot()
      guard DelayFinder.bins.contains(bin), size > 0 else {
        (real[bin], imaginary[bin]) = (0, 0)
        continue
      }
      let weight = powf(size, -DelayFinder.flattening)
      real[bin] *= weight
      imaginary[bin] *= weight
      sum += size * weight
    }
    guard sum > 0 else { return [] }
    let values = CrossSpectrum.correlation(real, imaginary, transform)
    let scale = 1 / (2 * sum)
    return DelayFinder.maxima.pick(
      from: (-DelayFinder.reach...DelayFinder.reach).map { Double(values[($0 + values.count) % values.count] * scale) })
  }
}

/// Picks the delays at the maxima of a correlation.
struct Maxima {
  /// Maximum number of maxima.
  private static let most = 6
  /// Two delays closer than this count as one, in samples.
  private static let separation = 6.0

  /// A maximum must reach at least this fraction of the largest.
  var contest: Double
  /// Penalty per sample of delay, so that the smallest of several equal fits is chosen.
  var cost = 0.0

  /// The maxima, best first, refined to a fraction of a sample by a parabola through three values.
  ///
  /// - Parameter values: for delays from -`values.count / 2` to +`values.count / 2`; an odd number.
  func pick(from values: [Double]) -> [PathSearch.Node] {
    guard values.count > 2, let top = values.max(), top > 0 else { return [] }
    var found: [PathSearch.Node] = []
    for index in 1..<(values.count - 1) where values[index] >= top * contest {
      let (before, at, after) = (values[index - 1], values[index], values[index + 1])
      guard at >= before, at > after else { continue }
      let curvature = before - 2 * at + after
      let shift = curvature < 0 ? (before - after) / (2 * curvature) : 0
      found.append(PathSearch.Node(delay: Double(index - values.count / 2) + shift, score: at))
    }
    found.sort { $0.score - abs($0.delay) * cost > $1.score - abs($1.delay) * cost }
    var kept: [PathSearch.Node] = []
    for node in found where kept.count < Maxima.most {
      if kept.allSatisfy({ abs($0.delay - node.delay) >= Maxima.separation }) { kept.append(node) }
    }
    return kept
  }
}
