extension String {
  /// The text without characters that could control a terminal or reverse a line: control and invisible characters
  /// become "�". Names and titles come from strangers and from damaged files.
  var printable: String {
    // Every request adds one to its lines: what is ASCII need not be looked up in Unicode's tables.
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
    guard unicodeScalars.contains(where: String.isHidden) else { return self }
    var scalars = String.UnicodeScalarView()
    for scalar in unicodeScalars { scalars.append(String.isHidden(scalar) ? "\u{FFFD}" : scalar) }
    return String(scalars)
  }

  /// The text as in `printable`, but with its line breaks.
  var printableLines: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
  }

  /// Width on a terminal, in columns.
  var columns: Int { reduce(0) { $0 + $1.columns } }

  /// Cuts the text to this many columns, marking a cut with "…".
  func fitted(to limit: Int) -> String {
    guard columns > limit else { return self }
    var text = ""
    var used = 1
    for character in self {
      guard used + character.columns <= limit else { break }
      text.append(character)
      used += character.columns
    }
    return text + "…"
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    // ZERO WIDTH JOINER holds emoji together.
    case .format: scalar.value != 0x200D
    default: false
    }
  }
}

extension Character {
  /// 0 for marks alone, 2 for what East Asian Width (UAX #11) calls wide and for emoji, 1 for the rest.
  fileprivate var columns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    if unicodeScalars.contains(where: { $0.properties.isEmojiPresentation || $0.value == 0xFE0F }) { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch first.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
