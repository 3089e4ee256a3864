/// The resampler's filter: a windowed sinc sampled at 512 fractions of a sample, with the slope to the next fraction.
///
/// 48 taps under a Kaiser window, cut off at Nyquist: flat to 20.3 kHz, below -110 dB from 27.7 kHz. For ratios
/// between 0.999 and 1.001, everything that could alias below 20 kHz lies above 27.9 kHz. Opus carries nothing above
/// 20 kHz, so a steeper and more expensive filter would change no sample of a track. Linear interpolation between 512
/// fractions leaves errors below -109 dB at 20 kHz and below -160 dB at 1 kHz.
struct ResamplerKernel: Sendable {
  /// Coefficients per output sample.
  static let taps = 48
  /// Input samples needed before the position.
  static let before = taps / 2 - 1
  /// Input samples needed after the position.
  static let after = taps / 2
  /// Rows of the table, as a power of two: 512 fractions of one sample.
  static let fractionBits = 9
  static let fractions = 1 << fractionBits
  /// In dB.
  private static let attenuation = 115.0

  /// The shared kernel; the table never changes.
  static let shared = ResamplerKernel()

  /// For each fraction and every four taps: four coefficients, then their differences from the next fraction's.
  let table: [Float]

  /// Start of a fraction's row, for a position in units of one fraction.
  @inline(__always)
  static func row(_ place: Int) -> Int { (place & (fractions - 1)) &* (taps * 2) }

  private init() {
    let filter = WindowedSinc(
      taps: ResamplerKernel.taps, window: .kaiser(attenuation: ResamplerKernel.attenuation))
    table = filter.table(fractions: ResamplerKernel.fractions)
  }
}
