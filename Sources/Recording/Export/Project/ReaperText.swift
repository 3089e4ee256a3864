import Foundation
import Music

/// Words and identifiers as project files of Reaper have them.
enum ReaperText {
  /// `text` in quotation marks that it does not contain; control characters are blanks, for a line is a line.
  ///
  /// Reaper knows three kinds and no escapes: where a text has all of them, its backticks become apostrophes.
  static func quoted(_ text: String) -> String {
    let line = LabelTrack.line(text)
    for mark in ["\"", "'", "`"] where !line.contains(mark) { return mark + line + mark }
    return "`" + line.replacing("`", with: "'") + "`"
  }

  /// A GUID in braces, made of 128 bits and a number that tells things of the same origin apart.
  static func guid(_ ulid: ULID, _ salt: UInt64) -> String {
    // Multiplied so that neighbouring numbers change many bits (the golden ratio's, after Knuth).
    let low = ulid.low ^ (salt &* 0x9E37_79B9_7F4A_7C15)
    let digits = String(format: "%016llX%016llX", ulid.high, low)
    var parts: [Substring] = []
    var rest = Substring(digits)
    for length in [8, 4, 4, 4, 12] {
      parts.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    return "{" + parts.joined(separator: "-") + "}"
  }
}
