import Glibc

/// The filter that brings a backup from its own clock to the take's 48 kHz: a windowed sinc at 512 fractions of a sample.
///
/// 128 taps at rates up to 48 kHz, more of them above, under a Kaiser window; nothing passes beyond half of the lower of
/// the two rates, and everything up to 2.7 kHz below that does (21.3 kHz at 48 kHz, 19.6 kHz at 44.1 kHz). The tracks'
/// own `ResamplerKernel` is shorter, because Opus has nothing above 20 kHz; a backup has.
struct BackupKernel: Sendable {
  static let fractionBits = 9
  static let fractions = 1 << fractionBits
  /// Taps at rates up to the time line's.
  private static let baseTaps = 128
  /// What the filter leaves of what it stops, in dB below.
  private static let attenuation = 110.0
  private static let lineRate = 48_000.0

  /// A multiple of four.
  let taps: Int
  /// Input samples before a position that the filter needs.
  var before: Int { taps / 2 - 1 }
  /// Input samples after a position that the filter needs.
  var after: Int { taps / 2 }
  /// Per fraction, for every four taps: four coefficients and their differences to the next fraction's.
  let table: [Float]

  /// - Parameter rate: the backup's, in Hz.
  init(rate: Int) {
    let excess = max(1, Double(rate) / BackupKernel.lineRate)
    let taps = (Int((Double(BackupKernel.baseTaps) * excess).rounded(.up)) + 3) / 4 * 4
    let beta = 0.1102 * (BackupKernel.attenuation - 8.7)
    // Kaiser: the width of the transition for so many taps, in cycles a sample.
    let transition = (BackupKernel.attenuation - 7.95) / (14.36 * Double(taps))
    let cut = 0.5 / excess - transition / 2
    let normal = BesselFunction.i0(beta)
    let rows = (0...BackupKernel.fractions).map { row -> [Double] in
      let fraction = Double(row) / Double(BackupKernel.fractions)
      let values = (0..<taps).map { tap -> Double in
        let distance = Double(tap - (taps / 2 - 1)) - fraction
        let place = distance / Double(taps / 2)
        let angle = 2 * Double.pi * cut * distance
        let sinc = distance == 0 ? 2 * cut : 2 * cut * sin(angle) / angle
        return abs(place) >= 1 ? 0 : sinc * BesselFunction.i0(beta * (1 - place * place).squareRoot()) / normal
      }
      // No fraction has a level of its own.
      let sum = values.reduce(0, +)
      return values.map { $0 / sum }
    }
    var table: [Float] = []
    table.reserveCapacity(BackupKernel.fractions * taps * 2)
    for (row, next) in zip(rows, rows.dropFirst()) {
      for start in stride(from: 0, to: taps, by: 4) {
        table += row[start..<(start + 4)].map { Float($0) }
        table += (start..<(start + 4)).map { Float(next[$0] - row[$0]) }
      }
    }
    self.taps = taps
    self.table = table
  }
}
