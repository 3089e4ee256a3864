/// What keeps large areas of one colour, and false finders, out of a symbol (ISO/IEC 18004 section 7.8).
enum QRMask: Int, CaseIterable {
  case checkers, rows, columns, diagonals, blocks, crosses, flowers, stars

  func inverts(_ column: Int, _ row: Int) -> Bool {
    switch self {
    case .checkers: (column + row) % 2 == 0
    case .rows: row % 2 == 0
    case .columns: column % 3 == 0
    case .diagonals: (column + row) % 3 == 0
    case .blocks: (column / 3 + row / 2) % 2 == 0
    case .crosses: column * row % 2 + column * row % 3 == 0
    case .flowers: (column * row % 2 + column * row % 3) % 2 == 0
    case .stars: ((column + row) % 2 + column * row % 3) % 2 == 0
    }
  }
}

extension QRCanvas {
  /// How hard the symbol is to read; the mask with the least is used.
  var penalty: Int {
    let lines =
      (0..<size).map { row in (0..<size).map { dark[row * size + $0] } }
      + (0..<size).map { column in (0..<size).map { dark[$0 * size + column] } }
    var penalty = lines.reduce(0) { $0 + QRCanvas.penalty(of: $1) }
    for row in 1..<size {
      for column in 1..<size {
        let (below, above) = (row * size + column, (row - 1) * size + column)
        let first = dark[below]
        if dark[below - 1] == first, dark[above] == first, dark[above - 1] == first { penalty += 3 }
      }
    }
    let share = dark.count { $0 } * 100 / dark.count
    return penalty + abs(share - 50) / 5 * 10
  }

  /// Long runs, and what looks like a finder, in one line.
  private static func penalty(of line: [Bool]) -> Int {
    var penalty = 0
    var run = 0
    // The last eleven modules, the newest in the lowest bit: a finder has seven, and four light ones on either side.
    var last = 0
    for (place, isDark) in line.enumerated() {
      run = place > 0 && line[place - 1] == isDark ? run + 1 : 1
      if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
      last = (last << 1 | (isDark ? 1 : 0)) & 0x7FF
      if place >= 10, last == 0b000_0101_1101 || last == 0b101_1101_0000 { penalty += 40 }
    }
    return penalty
  }
}
