/// The parameters of a call of XirSys' REST interface, version 2.
///
/// Two kinds of clients write them. Most encode a form as forms are; the pod of PerchRTC and Pectin writes
/// `name=value&` without encoding the values, so a device's name comes with its blanks and quotes, and there is an
/// empty pair at the end.
package struct XirSysForm: Hashable, Sendable {
  /// Most parameters that are read; a call has eight.
  private static let most = 32

  package private(set) var values: [String: String] = [:]

  package init() {}

  /// Reads a body or a query. Later values replace earlier ones.
  package init(parsing text: String) {
    add(text)
  }

  package mutating func add(_ text: String) {
    for pair in text.split(separator: "&").prefix(XirSysForm.most) {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else { continue }
      values[XirSysForm.decoded(parts[0])] = XirSysForm.decoded(parts[1])
    }
  }

  /// A parameter of a JSON body.
  package mutating func set(_ name: String, to value: JSONValue) {
    guard values.count < XirSysForm.most else { return }
    values[name] = value.string ?? value.integer.map(String.init) ?? value.bool.map { $0 ? "1" : "0" }
  }

  package subscript(name: String) -> String? { values[name] }

  /// The value of one part. What no encoder leaves in it (a blank, a quote, a letter beyond ASCII) shows that it was
  /// not encoded; then every character stands for itself.
  static func decoded(_ part: Substring) -> String {
    let isPlain = part.utf8.contains { byte in
      byte <= 0x20 || byte >= 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }
    if isPlain { return String(part) }
    var bytes: [UInt8] = []
    var rest = part.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        let digits = rest.prefix(2)
        guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else {
          return String(part)
        }
        rest = rest.dropFirst(2)
        bytes.append(value)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self) ?? String(part)
  }
}
