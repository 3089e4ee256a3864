/// The bytes of a file that a request asks for (RFC 9110 section 14).
package enum ByteRange: Hashable, Sendable {
  /// No `Range`, or one that is unreadable or in another unit: the whole file.
  case whole
  /// One stretch; never empty, inside the file.
  case part(Range<Int64>)
  /// None of the stretches begins inside the file.
  case unsatisfiable

  /// Most stretches in one field; with more (an attack or a mistake) the field is ignored.
  private static let maximumParts = 16

  /// Reads `Range` for a file of `size` bytes.
  ///
  /// Touching stretches are joined. If several remain, only the first is served: a server may send less than requested,
  /// `Content-Range` names the part, and none of our players reads multipart bodies.
  package init(_ field: String?, size: Int64) {
    guard let field = field?.trimmed, field.lowercased().hasPrefix("bytes=") else {
      self = .whole
      return
    }
    let texts = field.dropFirst("bytes=".count).split(separator: ",", omittingEmptySubsequences: false)
    guard texts.count <= ByteRange.maximumParts else {
      self = .whole
      return
    }
    var wanted: [Range<Int64>] = []
    for text in texts {
      guard let part = ByteRange.stretch(String(text).trimmed, size: size) else {
        self = .whole
        return
      }
      if !part.isEmpty { wanted.append(part) }
    }
    guard var first = wanted.first else {
      self = .unsatisfiable
      return
    }
    for next in wanted.dropFirst() where next.lowerBound <= first.upperBound && next.upperBound >= first.lowerBound {
      first = min(first.lowerBound, next.lowerBound)..<max(first.upperBound, next.upperBound)
    }
    self = .part(first)
  }

  /// Reads `first-last`, `first-` or `-length`; empty if it lies outside the file, nil if it is not a range.
  private static func stretch(_ text: String, size: Int64) -> Range<Int64>? {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    switch (number(ends[0]), number(ends[1])) {
    case (let first?, let last?):
      guard first <= last else { return nil }
      // in range: `last` is below the size there
      return first < size ? first..<(last >= size ? size : last + 1) : 0..<0
    case (let first?, nil) where ends[1].isEmpty:
      return first < size ? first..<size : 0..<0
    case (nil, let length?) where ends[0].isEmpty:
      // in range: neither is negative
      return max(0, size - length)..<size
    default:
      return nil
    }
  }

  /// Reads digits only; a number too large for 64 bits lies beyond the end of every file.
  private static func number(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return Int64(text) ?? .max
  }
}
