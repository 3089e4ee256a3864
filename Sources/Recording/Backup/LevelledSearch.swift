/// Finds the delays by which a short stretch of a take fits a backup, up to a second to both sides.
///
/// Normalised cross correlation: each delay is judged by the part of the sound that it explains, however loud the backup
/// is there. It wants much in common, and so can do with less than `DelayFinder`, which suits worse codecs.
struct LevelledSearch {
  /// Samples of the backup that are searched.
  static let window = 131_072
  /// Delays to both sides, in samples.
  static let reach = 48_000
  private static let maxima = Maxima(contest: 0.8, cost: 1e-7)

  private let transform = FourierTransform(LevelledSearch.window)

  /// What was found.
  struct Fits: Hashable, Sendable {
    /// The delays of the backup after the sound, the best first; the score is the correlation coefficient.
    var nodes: [PathSearch.Node]
    /// The best score near the delay that was expected.
    var near: Double
  }

  /// - Parameters:
  ///   - sound: an even number of samples, no more than the window less twice the reach.
  ///   - backup: `window` samples, in whose middle `sound` is expected.
  ///   - near: samples to both sides of that.
  func fits(_ sound: [Float], _ backup: [Float], near: Int) -> Fits {
    let quiet = (LevelledSearch.window - sound.count) / 2
    let silence = [Float](repeating: 0, count: quiet)
    let spectrum = CrossSpectrum(silence + sound + silence, backup, transform)
    let products = CrossSpectrum.correlation(spectrum.real, spectrum.imaginary, transform)
    var powers = [0.0]
    powers.reserveCapacity(backup.count + 1)
    for sample in backup { powers.append(powers[powers.count - 1] + Double(sample) * Double(sample)) }
    let power = sound.reduce(0.0) { $0 + Double($1) * Double($1) }
    let scores = (-LevelledSearch.reach...LevelledSearch.reach).map { delay -> Double in
      let other = powers[quiet + delay + sound.count] - powers[quiet + delay]
      // What is next to nothing fits by chance.
      guard power > 0, other > power * 1e-6 else { return 0 }
      let product = Double(products[(delay + products.count) % products.count]) / Double(LevelledSearch.window)
      return product / (power * other).squareRoot()
    }
    let middle = LevelledSearch.reach
    return Fits(
      nodes: LevelledSearch.maxima.pick(from: scores), near: scores[(middle - near)...(middle + near)].max() ?? 0)
  }
}
