/// Where a client connects to: the parts of `app`, none for the root.
package struct RTMPScope: Hashable, Sendable, CustomStringConvertible {
  private static let maximumParts = 4
  private static let maximumPartLength = 64

  package let parts: [String]

  /// Nil where `app` (what follows a "?" does not count) has more than four parts, or one that is not of 1 to 64
  /// letters, digits, ".", "_" and "-", or one with "..".
  package init?(app: String?) {
    let path = (app ?? "").prefix { $0 != "?" }
    let trimmed = path.drop { $0 == "/" }
    guard let last = trimmed.lastIndex(where: { $0 != "/" }) else {
      parts = []
      return
    }
    let parts = trimmed[...last].split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    guard parts.count <= RTMPScope.maximumParts, parts.allSatisfy({ RTMPScope.isGood($0) }) else { return nil }
    self.parts = parts
  }

  private static func isGood(_ part: String) -> Bool {
    guard (1...maximumPartLength).contains(part.utf8.count), !part.contains("..") else { return false }
    return part.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
      default: false
      }
    }
  }

  /// The parts with "/" between them.
  package var description: String { parts.joined(separator: "/") }
}
