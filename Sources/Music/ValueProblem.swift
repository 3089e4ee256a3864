/// A value from outside that is not permitted.
package struct ValueProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The field's name as people write it: "rating".
  package var field: String
  /// What was given, shortened.
  package var value: String
  /// What is permitted: "1 to 5".
  package var permitted: String

  package init(_ field: String, _ value: String, _ permitted: String) {
    self.field = field
    self.value = String(value.prefix(80))
    self.permitted = permitted
  }

  package var description: String { "\(field) is \(value); permitted: \(permitted)" }
}

/// The rules for texts that people write beside names.
enum TextRule {
  /// Checks a line: 1 to `limit` characters, no control character, no blank at either end.
  static func line(_ text: String, field: String, limit: Int) throws(ValueProblem) {
    guard (1...limit).contains(text.count), text.utf8.count <= limit * 8 else {
      throw ValueProblem(field, "\"\(text)\" (\(text.count) characters)", "1 to \(limit) characters")
    }
    guard text.first?.isWhitespace == false, text.last?.isWhitespace == false else {
      throw ValueProblem(field, "\"\(text)\"", "a text without blanks at its ends")
    }
    guard !text.unicodeScalars.contains(where: isControl) else {
      throw ValueProblem(field, text.debugDescription, "a line without control characters")
    }
  }

  /// Checks a text of several lines: up to `limit` characters, no control characters but line breaks and tabs.
  static func text(_ text: String, field: String, limit: Int) throws(ValueProblem) {
    guard (1...limit).contains(text.count), text.utf8.count <= limit * 8 else {
      throw ValueProblem(field, "\(text.count) characters", "1 to \(limit) characters, or null")
    }
    guard !text.unicodeScalars.contains(where: { isControl($0) && !["\n", "\r", "\t"].contains($0) }) else {
      throw ValueProblem(field, text.debugDescription, "a text without control characters")
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .lineSeparator
      || scalar.properties.generalCategory == .paragraphSeparator
  }
}
