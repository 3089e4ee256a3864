import Music

/// A line of an iCalendar text (RFC 5545 section 3.1), after unfolding.
struct CalendarLine: Hashable {
  /// In capitals, as all names of parameters.
  var name: String
  var parameters: [String: String]
  var value: String
  /// Where it begins in the text, from 1.
  var number: Int

  /// The lines of a text; those that are empty are left out.
  /// - Throws: `ScheduleFault` for a line that is none.
  static func lines(of text: String) throws(ScheduleFault) -> [CalendarLine] {
    var unfolded: [(text: String, number: Int)] = []
    // A line ends with CR and LF, which Swift takes for one character, or with LF alone.
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let number = index &+ 1
      if let first = line.first, first == " " || first == "\t" {
        guard !unfolded.isEmpty else { throw ScheduleFault(number, "the text begins with a blank") }
        unfolded[unfolded.count - 1].text += line.dropFirst()  // in range: a text
      } else if !line.isEmpty {
        unfolded.append((String(line), number))
      }
    }
    var lines: [CalendarLine] = []
    for (index, line) in unfolded.enumerated() {
      let isFirst = index == 0
      lines.append(try CalendarLine(isFirst ? line.text.withoutByteOrderMark : line.text, line.number))
    }
    return lines
  }

  private init(_ text: String, _ number: Int) throws(ScheduleFault) {
    self.number = number
    var rest = text[...]
    let first = rest.prefix { $0 != ":" && $0 != ";" }
    name = first.uppercased()
    rest = rest.dropFirst(first.count)
    parameters = [:]
    while rest.first == ";" {
      rest = rest.dropFirst()
      let word = rest.prefix { $0 != "=" && $0 != ":" && $0 != ";" }
      rest = rest.dropFirst(word.count)
      guard rest.first == "=" else {
        throw ScheduleFault(number, "a parameter of \(name.shortened(to: 40)) has no value")
      }
      rest = rest.dropFirst()
      var text: Substring
      if rest.first == "\"" {
        rest = rest.dropFirst()
        text = rest.prefix { $0 != "\"" }
        rest = rest.dropFirst(text.count).dropFirst()
      } else {
        text = rest.prefix { $0 != ":" && $0 != ";" }
        rest = rest.dropFirst(text.count)
      }
      parameters[word.uppercased()] = String(text)
    }
    guard rest.first == ":", !name.isEmpty else {
      throw ScheduleFault(number, "\"\(text.shortened(to: 40))\" is no line of iCalendar: NAME:VALUE")
    }
    value = String(rest.dropFirst())
  }
}

/// Why an iCalendar text cannot be used.
package struct ScheduleFault: Error, Hashable, CustomStringConvertible {
  /// From 1; nil for the text as a whole.
  package var line: Int?
  package var sentence: String

  init(_ line: Int?, _ sentence: String) {
    self.line = line
    self.sentence = sentence
  }

  package var description: String { line.map { "line \($0): \(sentence)" } ?? sentence }
}

extension String {
  fileprivate var withoutByteOrderMark: String { hasPrefix("\u{FEFF}") ? String(unicodeScalars.dropFirst()) : self }
}
