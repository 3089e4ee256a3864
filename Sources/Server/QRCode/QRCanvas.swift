/// The modules of a QR code while it is drawn (ISO/IEC 18004 sections 6.3, 7.7, 7.9 and 7.10).
struct QRCanvas {
  let version: QRVersion
  let size: Int
  private(set) var dark: [Bool]
  /// Modules that are the same for every text, or say how it is drawn.
  private var isFixed: [Bool]

  init(_ version: QRVersion) {
    self.version = version
    size = version.size
    dark = [Bool](repeating: false, count: size * size)
    isFixed = dark
  }

  private mutating func fix(_ column: Int, _ row: Int, _ isDark: Bool) {
    guard (0..<size).contains(column), (0..<size).contains(row) else { return }
    dark[row * size + column] = isDark
    isFixed[row * size + column] = true
  }

  /// Draws what is the same for every text, and reserves the modules of the format.
  mutating func drawPatterns() {
    for place in 0..<size {
      fix(6, place, place % 2 == 0)
      fix(place, 6, place % 2 == 0)
    }
    for (column, row) in [(3, 3), (size - 4, 3), (3, size - 4)] { drawSquares(column, row, reach: 4) }
    let places = version.alignment
    for (first, column) in places.enumerated() {
      for (second, row) in places.enumerated() {
        let last = places.count - 1
        // The finders are there.
        if [[0, 0], [0, last], [last, 0]].contains([first, second]) { continue }
        drawSquares(column, row, reach: 2)
      }
    }
    drawFormat(.checkers)
    drawVersion()
  }

  /// Squares around each other: those of a finder with the light one around it, or of an alignment pattern.
  private mutating func drawSquares(_ column: Int, _ row: Int, reach: Int) {
    for down in -reach...reach {
      for right in -reach...reach {
        let distance = max(abs(down), abs(right))
        let isDark = reach == 4 ? distance != 2 && distance != 4 : distance != 1
        fix(column + right, row + down, isDark)
      }
    }
  }

  /// Level and mask, twice, with a code of their own.
  private mutating func drawFormat(_ mask: QRMask) {
    let data = (version.level == .low ? 0b01 : 0b00) << 3 | mask.rawValue
    var rest = data
    for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
    let bits = (data << 10 | rest) ^ 0x5412
    func bit(_ place: Int) -> Bool { bits >> place & 1 == 1 }
    for place in 0..<6 { fix(8, place, bit(place)) }
    fix(8, 7, bit(6))
    fix(8, 8, bit(7))
    fix(7, 8, bit(8))
    for place in 9..<15 { fix(14 - place, 8, bit(place)) }
    for place in 0..<8 { fix(size - 1 - place, 8, bit(place)) }
    for place in 8..<15 { fix(8, size - 15 + place, bit(place)) }
    fix(8, size - 8, true)
  }

  private mutating func drawVersion() {
    guard version.number > 6 else { return }
    var rest = version.number
    for _ in 0..<12 { rest = rest << 1 ^ (rest >> 11) * 0x1F25 }
    let bits = version.number << 12 | rest
    for place in 0..<18 {
      let (far, near) = (size - 11 + place % 3, place / 3)
      fix(far, near, bits >> place & 1 == 1)
      fix(near, far, bits >> place & 1 == 1)
    }
  }

  /// Writes the codewords in their zigzag of two columns, upwards from the right below.
  mutating func draw(_ codewords: [UInt8]) {
    var bit = 0
    var right = size - 1
    while right > 0 {
      // The column of the timing pattern is left out.
      if right == 6 { right = 5 }
      let isUpward = (right + 1) & 2 == 0
      for step in 0..<size {
        let row = isUpward ? size - 1 - step : step
        for column in [right, right - 1] where !isFixed[row * size + column] && bit < codewords.count * 8 {
          dark[row * size + column] = codewords[bit / 8] >> (7 - bit % 8) & 1 == 1
          bit += 1
        }
      }
      right -= 2
    }
  }

  func masked(by mask: QRMask) -> QRCanvas {
    var canvas = self
    for row in 0..<size {
      for column in 0..<size where !isFixed[row * size + column] && mask.inverts(column, row) {
        canvas.dark[row * size + column].toggle()
      }
    }
    canvas.drawFormat(mask)
    return canvas
  }
}
