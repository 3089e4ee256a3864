import Foundation

/// Makes portable file names of what people type: the one place where a name from outside becomes part of a path.
///
/// The result holds only `A-Z a-z 0-9 _ -`, begins with a letter or digit, and is no name that Windows reserves; dots
/// are left out, so it can be neither `..` nor a hidden file nor look like another kind of file.
package enum FileName {
  /// Longest part of a file name that is made of one text, in characters.
  package static let maximumLength = 48

  /// `text` reduced to portable characters: Latin letters lose their accents, anything else becomes a single dash.
  /// Texts with nothing to keep become `fallback`.
  package static func portable(_ text: String, fallback: String) -> String {
    let reduced = reduce(text)
    return reduced.isEmpty ? fallback : reduced
  }

  /// Like `portable`, with eight hexadecimal digits of the text's checksum where more than blanks was changed, so that
  /// two different texts hardly ever become one name.
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
      // Combining marks fall away without a dash: "é" is "e".
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

  /// Letters that Unicode does not decompose.
  private static let spellings: [Unicode.Scalar: String] = [
    "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ł": "l", "Ł": "L",
    "þ": "th", "Þ": "Th", "ð": "d", "Ð": "D", "ı": "i", "'": "", "’": "",
  ]

  /// Names of devices on Windows, where recordings may be copied to.
  private static func isReserved(_ name: String) -> Bool {
    let upper = name.uppercased()
    if ["CON", "PRN", "AUX", "NUL"].contains(upper) { return true }
    guard upper.count == 4, let digit = upper.last, digit.isNumber else { return false }
    return upper.hasPrefix("COM") || upper.hasPrefix("LPT")
  }
}

/// What may stand between two slashes of a path of ours.
enum FileComponent {
  /// Longest name that Linux file systems take, in bytes.
  static let maximumBytes = 255

  /// True for one plain name: not empty, not `.` or `..`, no slash, no NUL, not too long.
  static func isSafe(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && name.utf8.count <= maximumBytes
      && !name.utf8.contains(0) && !name.utf8.contains(UInt8(ascii: "/"))
  }

  /// The components of a relative path, nil where one of them is not safe.
  static func split(_ path: String) -> [String]? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    return parts.allSatisfy(isSafe) ? parts : nil
  }
}
