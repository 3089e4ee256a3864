import Foundation

/// Makes portable file names from user input: the only place where a name from outside becomes part of a path.
///
/// The result contains only `A-Z a-z 0-9 _ -`, begins with a letter or digit, and is not a reserved name on Windows.
/// Dots are removed, so it can be neither `..` nor a hidden file, nor have a misleading extension.
package enum FileName {
  /// Maximum length of the part of a file name made from one text, in characters.
  package static let maximumLength = 48

  /// Reduces `text` to portable characters: Latin letters lose their accents, other runs become a single dash. If
  /// nothing remains, the result is `fallback`.
  package static func portable(_ text: String, fallback: String) -> String {
    let reduced = reduce(text)
    return reduced.isEmpty ? fallback : reduced
  }

  /// Like `portable`, but appends eight hexadecimal digits of the text's checksum if more than spaces changed, so
  /// that different texts rarely get the same name.
  package static func distinct(_ text: String, fallback: String) -> String {
    let name = portable(text, fallback: fallback)
    let isFaithful = name == String(text.map { $0 == " " ? "-" : $0 }) && !isReserved(name)
    if isFaithful { return name }
    let sum = String(CRC32C.of(Array(text.utf8)), radix: 16)
    return name + "-" + String(repeating: "0", count: 8 - sum.count) + sum
  }

  /// `number` with at least two digits: "07".
  package static func counted(_ number: Int) -> String {
    number >= 0 && number < 10 ? "0\(number)" : "\(number)"
  }

  private static func reduce(_ text: String) -> String {
    var name = ""
    for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars {
      // Combining marks disappear without a dash: "é" becomes "e".
      if scalar.properties.generalCategory == .nonspacingMark { continue }
      if let spelled = spellings[scalar] {
        name += spelled
      } else if isPortable(scalar) {
        name.unicodeScalars.append(scalar)
      } else if name.last != "-", !name.isEmpty {
        name += "-"
      }
      if name.utf8.count >= maximumLength { break }
    }
    name = String(name.drop { $0 == "-" || $0 == "_" }.prefix(maximumLength))
    while name.last == "-" { name.removeLast() }
    return name
  }

  private static func isPortable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
    default: false
    }
  }

  /// Letters without a Unicode decomposition.
  private static let spellings: [Unicode.Scalar: String] = [
    "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ł": "l", "Ł": "L",
    "þ": "th", "Þ": "Th", "ð": "d", "Ð": "D", "ı": "i", "'": "", "’": "",
  ]

  /// True for device names on Windows, where recordings may be copied.
  private static func isReserved(_ name: String) -> Bool {
    let upper = name.uppercased()
    if ["CON", "PRN", "AUX", "NUL"].contains(upper) { return true }
    guard upper.count == 4, let digit = upper.last, digit.isNumber else { return false }
    return upper.hasPrefix("COM") || upper.hasPrefix("LPT")
  }
}

/// Checks the components of a relative path.
enum FileComponent {
  /// Maximum length of a file name on Linux file systems, in bytes.
  static let maximumBytes = 255

  /// True for a single plain name: not empty, not `.` or `..`, no slash, no NUL, not too long.
  static func isSafe(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && name.utf8.count <= maximumBytes
      && !name.utf8.contains(0) && !name.utf8.contains(UInt8(ascii: "/"))
  }

  /// The components of a relative path; nil if one of them is unsafe.
  static func split(_ path: String) -> [String]? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    return parts.allSatisfy(isSafe) ? parts : nil
  }
}
