/// Columns of text that are as wide as they have to be.
struct TextTable {
  struct Column {
    var title: String
    /// Numbers stand under one another by their last digit.
    var isNumber = false

    static func text(_ title: String) -> Column { Column(title: title) }
    static func number(_ title: String) -> Column { Column(title: title, isNumber: true) }
  }

  private let columns: [Column]
  private var rows: [[String]] = []

  init(_ columns: [Column]) {
    self.columns = columns
  }

  var isEmpty: Bool { rows.isEmpty }

  mutating func add(_ cells: [String]) { rows.append(cells) }

  /// The table's lines, each behind two blanks.
  var text: String {
    let all = [columns.map(\.title)] + rows
    let widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { row in
      let cells = zip(zip(columns, widths), row).map { shape, cell in
        let blanks = String(repeating: " ", count: shape.1 - cell.count)
        return shape.0.isNumber ? blanks + cell : cell + blanks
      }
      var line = "  " + cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }
}
