/// What follows the "?" of an address or of a stream's name: keys and values.
package struct RTMPQuery: Hashable, Sendable {
  /// As it came, without the "?".
  package let text: String

  /// The query of `text`, or nil where it has no "?".
  package init?(of text: String?) {
    guard let text, let mark = text.firstIndex(of: "?") else { return nil }
    self.text = String(text[text.index(after: mark)...])
  }

  /// The first value of this key, decoded; a key without "=" has the empty one.
  package subscript(key: String) -> String? {
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let first = parts.first, RTMPQuery.decoded(first) == key else { continue }
      return parts.count > 1 ? RTMPQuery.decoded(parts[1]) : ""
    }
    return nil
  }

  /// Percent signs with two hexadecimal digits are bytes, "+" stays itself: keys are base64 now and then.
  private static func decoded(_ text: Substring) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let byte = UInt8(String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16)
      {
        result.append(byte)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
