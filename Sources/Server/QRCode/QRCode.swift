/// A QR code of a text (ISO/IEC 18004, model 2): bytes in UTF-8, versions 1 to 40, error correction L and M.
///
///     let code = QRCode("https://band.example/?room=Cellar", level: .medium)
///     code?.svg(border: 4)
package struct QRCode: Hashable, Sendable {
  /// How much damage a reader mends: 7 % of the symbol, or 15 %.
  package enum Level: Hashable, Sendable, CaseIterable {
    case low, medium
  }

  /// Modules in each direction.
  package let size: Int
  private var dark: [Bool]

  /// The smallest code that holds `text`; nil if none does.
  package init?(_ text: String, level: Level) {
    let bytes = Array(text.utf8)
    guard let version = QRVersion.smallest(for: bytes.count, level: level) else { return nil }
    var canvas = QRCanvas(version)
    canvas.drawPatterns()
    canvas.draw(QRCodewords.make(of: bytes, version: version))
    let candidates = QRMask.allCases.map { canvas.masked(by: $0) }
    guard let best = candidates.min(by: { $0.penalty < $1.penalty }) else { return nil }
    (size, dark) = (best.size, best.dark)
  }

  /// True for a dark module; those outside are light.
  package func isDark(_ column: Int, _ row: Int) -> Bool {
    guard (0..<size).contains(column), (0..<size).contains(row) else { return false }
    return dark[row * size + column]
  }
}
