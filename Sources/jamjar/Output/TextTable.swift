/// Columns of text, as wide as needed but together no wider than the screen.
struct TextTable {
  struct Column {
    var title: String
    /// True for numbers, which are right-aligned.
    var isNumber = false
    /// True if its cells may be cut on a narrow screen.
    var isFlexible = false
    /// Chooses the style of a cell by its contents.
    var style: (@Sendable (String) -> Style?)?

    /// Text that may be cut: names, titles.
    static func text(_ title: String, style: (@Sendable (String) -> Style?)? = nil) -> Column {
      Column(title: title, isFlexible: true, style: style)
    }
    /// Text that is useful only as a whole: identifiers, times, words from a closed set.
    static func whole(_ title: String, style: (@Sendable (String) -> Style?)? = nil) -> Column {
      Column(title: title, style: style)
    }
    static func number(_ title: String) -> Column { Column(title: title, isNumber: true) }
  }

  private let columns: [Column]
  private var rows: [[String]] = []

  /// Minimum width of a column.
  private static let leastWidth = 5
  private static let gap = "  "

  init(_ columns: [Column]) {
    self.columns = columns
  }

  var isEmpty: Bool { rows.isEmpty }

  mutating func add(_ cells: [String]) { rows.append(cells.map(\.printable)) }

  /// The table's lines for standard output, each indented by two spaces.
  var text: String { text(on: .standard) }

  /// The table's lines, each indented by two spaces.
  func text(on screen: Screen) -> String {
    let widths = widths(on: screen)
    let heading = line(columns.map(\.title), widths) { text, _ in screen.painted(text, .heading) }
    return
      ([heading]
      + rows.map { row in
        line(row, widths) { text, column in screen.painted(text, columns[column].style?(text)) }
      }).joined(separator: "\n")
  }

  private func line(_ row: [String], _ widths: [Int], paint: (String, Int) -> String) -> String {
    var line = ""
    // Spaces are written only when something follows them, so that no line ends in spaces.
    var blanks = TextTable.gap
    for (column, cell) in row.enumerated() where column < widths.count {
      let fitted = cell.fitted(to: widths[column])
      let rest = String(repeating: " ", count: max(0, widths[column] - fitted.columns))
      if columns[column].isNumber { blanks += rest }
      if !fitted.isEmpty {
        line += blanks + paint(fitted, column)
        blanks = ""
      }
      blanks += (columns[column].isNumber ? "" : rest) + TextTable.gap
    }
    return line
  }

  /// Each column's width is that of its widest cell; if the sum is too large, the widest flexible columns shrink first.
  private func widths(on screen: Screen) -> [Int] {
    var widths = columns.indices.map { column in
      rows.reduce(columns[column].title.columns) { max($0, $1.indices.contains(column) ? $1[column].columns : 0) }
    }
    guard let limit = screen.width else { return widths }
    var surplus = widths.reduce(0, +) + TextTable.gap.count * columns.count - limit
    while surplus > 0 {
      let flexible = columns.indices.filter { columns[$0].isFlexible && widths[$0] > TextTable.leastWidth }
      guard let widest = flexible.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
      surplus -= 1
    }
    return widths
  }
}
