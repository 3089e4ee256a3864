/// The reason why a name was refused; `description` is a sentence for users.
package struct NameError: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String
}

/// The rules for names from outside.
enum NameRule {
  /// Longest name in characters (grapheme clusters).
  static let maximumLength = 64
  /// Longest name in bytes of UTF-8, so that 64 clusters of joined emoji cannot flood a log.
  static let maximumBytes = 512

  /// True for 1 to 64 letters and digits of ASCII, `-` and `_`, which every rule permits.
  static func isPlain(_ text: String) -> Bool {
    (1...maximumLength).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// Checks the rules for all names: 1 to 64 characters, no control characters, no space at either end.
  static func check(_ text: String, of what: String) throws(NameError) {
    guard !text.isEmpty else {
      throw NameError(description: "\(what) is empty; it must have 1 to \(maximumLength) characters")
    }
    guard text.utf8.count <= maximumBytes || text.count > maximumLength else {
      throw NameError(description: "\(what) has \(text.utf8.count) bytes; it must have \(maximumBytes) at most")
    }
    guard text.count <= maximumLength else {
      throw NameError(
        description: "\(what) has \(text.count) characters; it must have 1 to \(maximumLength)")
    }
    for scalar in text.unicodeScalars where isControl(scalar) {
      throw NameError(
        description: "\(what) contains the control character U+\(String(scalar.value, radix: 16, uppercase: true))")
    }
    guard text.first?.isWhitespace == false, text.last?.isWhitespace == false else {
      throw NameError(description: "\(what) begins or ends with a blank")
    }
  }

  /// True for control characters, and for invisible characters that can reverse a line's direction or hide a name's
  /// end.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return true
    case .format: return scalar.value != 0x200D  // ZERO WIDTH JOINER joins emoji
    default: return false
    }
  }
}

/// The name of a room: 1 to 64 letters, marks, digits, spaces and `- _ . ~ + @ ' ( ) & !` of any script, not starting
/// with a dot.
package struct RoomName: Hashable, Comparable, Sendable, LosslessStringConvertible, Codable {
  package let description: String

  /// - Throws: `NameError` with a sentence that names the fault.
  package init(checking text: String) throws(NameError) {
    // Most names, and those of every list again: one look at the bytes is enough.
    if NameRule.isPlain(text) {
      description = text
      return
    }
    try NameRule.check(text, of: "the room name")
    guard text.first != "." else { throw NameError(description: "the room name begins with a dot") }
    for character in text where !RoomName.permits(character) {
      throw NameError(
        description:
          "the room name contains \"\(character)\"; letters, digits, blanks and - _ . ~ + @ ' ( ) & ! are allowed")
    }
    description = text
  }

  package init?(_ description: String) {
    guard let name = try? RoomName(checking: description) else { return nil }
    self = name
  }

  private static let punctuation: Set<Character> = ["-", "_", ".", "~", "+", "@", "'", "’", "(", ")", "&", "!", " "]

  private static func permits(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || punctuation.contains(character)
      || character.unicodeScalars.contains { $0.properties.isEmojiPresentation }
  }

  package static func < (left: RoomName, right: RoomName) -> Bool { left.description < right.description }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      self = try RoomName(checking: container.decode(String.self))
    } catch let error as NameError {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// The display name of a participant: 1 to 64 characters, no control characters, unique in a room at any time.
///
/// It is not an identity (that is `ParticipantID`), and never becomes part of a path without sanitising.
package struct DisplayName: Hashable, Comparable, Sendable, LosslessStringConvertible, Codable {
  package let description: String

  /// - Throws: `NameError` with a sentence that names the fault.
  package init(checking text: String) throws(NameError) {
    try NameRule.check(text, of: "the display name")
    description = text
  }

  package init?(_ description: String) {
    guard let name = try? DisplayName(checking: description) else { return nil }
    self = name
  }

  package static func < (left: DisplayName, right: DisplayName) -> Bool { left.description < right.description }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      self = try DisplayName(checking: container.decode(String.self))
    } catch let error as NameError {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
