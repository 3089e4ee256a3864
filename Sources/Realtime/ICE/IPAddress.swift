/// An IP address parsed from text.
package enum IPAddress: Sendable, Hashable {
  /// The four bytes as one number in network byte order.
  case v4(UInt32)
  /// Eight groups of 16 bits.
  case v6([UInt16])

  /// Parses dotted IPv4 or IPv6 (RFC 4291 §2.2), the latter with or without a zone; nil for names and malformed text.
  package init?(parsing text: String) {
    if let address = Self.v4(text) {
      self = .v4(address)
    } else if let groups = Self.v6(String(text.prefix { $0 != "%" })) {
      self = .v6(groups)
    } else {
      return nil
    }
  }

  private static func v4(_ text: some StringProtocol) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var address: UInt32 = 0
    for part in parts {
      // "010" is ten to some parsers and eight to others, so it is refused.
      guard let byte = UInt8(digits: part), part.utf8.count == 1 || !part.hasPrefix("0") else { return nil }
      address = address << 8 | UInt32(byte)
    }
    return address
  }

  private static func v6(_ text: String) -> [UInt16]? {
    guard text.utf8.count <= 45 else { return nil }
    let halves = text.split(separator: "::", omittingEmptySubsequences: false)
    guard halves.count <= 2, let first = halves.first, let head = groups(first, last: halves.count == 1) else {
      return nil
    }
    guard halves.count == 2 else { return head.count == 8 ? head : nil }
    guard let tail = groups(halves[1], last: true), head.count + tail.count <= 7 else { return nil }
    // in range: both have at most 7 together
    return head + [UInt16](repeating: 0, count: 8 - head.count - tail.count) + tail
  }

  /// The groups of one half of the address; the last may end in dotted IPv4.
  private static func groups(_ half: Substring, last: Bool) -> [UInt16]? {
    guard !half.isEmpty else { return [] }
    let words = half.split(separator: ":", omittingEmptySubsequences: false)
    var groups: [UInt16] = []
    for (index, word) in words.enumerated() {
      if last, index == words.count - 1, let address = v4(word) {
        groups += [UInt16(truncatingIfNeeded: address >> 16), UInt16(truncatingIfNeeded: address)]
      } else {
        guard (1...4).contains(word.utf8.count), word.utf8.first != UInt8(ascii: "+"),
          let group = UInt16(word, radix: 16)
        else { return nil }
        groups.append(group)
      }
    }
    return groups
  }
}
