extension QRCode {
  /// The light modules around a code that readers need (ISO/IEC 18004 section 9.1).
  package static let quietZone = 4

  /// The code as a document of SVG, one unit a module, dark on white.
  package func svg(border: Int = quietZone) -> String {
    let side = size + 2 * border
    var path = ""
    for row in 0..<size {
      var column = 0
      while column < size {
        let start = column
        while isDark(column, row) { column += 1 }
        if column > start { path += "M\(start + border) \(row + border).5h\(column - start)" }
        column += 1
      }
    }
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(side) \(side)\" shape-rendering=\"crispEdges\">"
      + "<path fill=\"#fff\" d=\"M0 0h\(side)v\(side)H0z\"/><path stroke=\"#000\" d=\"\(path)\"/></svg>"
  }

  /// The code as lines of half blocks, two rows of modules in each.
  ///
  /// Black and white are named, so that it can be read on every background.
  package func terminalLines(border: Int = quietZone) -> [String] {
    stride(from: -border, to: size + border, by: 2).map { row in
      let blocks = (-border..<size + border).map { column in
        switch (isDark(column, row), isDark(column, row + 1)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }
      return "\u{1B}[38;5;16;48;5;231m\(blocks.joined())\u{1B}[0m"
    }
  }
}
