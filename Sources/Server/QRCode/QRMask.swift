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
        let first = dark[row * size + column]
        let others = [(row - 1) * size + column, row * size + column - 1, (row - 1) * size + column - 1]
        if others.allSatisfy({ dark[$0] == first }) { penalty += 3 }
      }
    }
    let share = dark.count { $0 } * 100 / dark.count
    return penalty + abs(share - 50) / 5 * 10
  }

  /// Long runs, and what looks like a finder, in one line.
  private static func penalty(of line: [Bool]) -> Int {
    var penalty = 0
    var run = 0
    for (place, isDark) in line.enumerated() {
      run = place > 0 && line[place - 1] == isDark ? run + 1 : 1
      if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
    }
    let finder = [true, false, true, true, true, false, true]
    let quiet = [Bool](repeating: false, count: 4)
    for pattern in [quiet + finder, finder + quiet] where line.count >= pattern.count {
      for start in 0...(line.count - pattern.count)
      where line[start..<start + pattern.count].elementsEqual(pattern) {
        penalty += 40
      }
    }
    return penalty
  }
}
