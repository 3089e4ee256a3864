import Glibc

/// Bytes in their order, from a file or an archive's entry, with little of them in memory.
package final class SequentialBytes {
  /// Bytes read from a file at a time.
  private static let stretch = 1 << 20

  /// Returns the next bytes, in stretches of any length; none at the end.
  private let more: () throws -> [UInt8]
  private var held: [UInt8] = []
  private var place = 0
  private var isAtEnd = false

  package init(_ more: @escaping () throws -> [UInt8]) {
    self.more = more
  }

  /// The bytes of an open file within `range`, or up to its end.
  convenience init(_ file: Descriptor, range: Range<Int64> = 0..<Int64.max, path: String) {
    var next = range.lowerBound
    self.init {
      let count = Int(min(Int64(SequentialBytes.stretch), range.upperBound &- next))
      let bytes = try file.read(at: next, count: count, path: path)
      next &+= Int64(bytes.count)
      return bytes
    }
  }

  /// Bytes in memory.
  package convenience init(_ bytes: [UInt8]) {
    var rest = bytes
    self.init {
      defer { rest = [] }
      return rest
    }
  }

  /// True if there is another byte.
  private func hasMore() throws -> Bool {
    while place == held.count, !isAtEnd {
      held = try more()
      place = 0
      isAtEnd = held.isEmpty
    }
    return place < held.count
  }

  /// The next byte; nil at the end.
  func byte() throws -> UInt8? {
    guard try hasMore() else { return nil }
    defer { place &+= 1 }
    return held[place]
  }

  /// The next `count` bytes; nil if there are fewer.
  func bytes(_ count: Int) throws -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      guard try hasMore() else { return nil }
      let part = min(count &- bytes.count, held.count &- place)
      bytes += held[place..<(place &+ part)]
      place &+= part
    }
    return bytes
  }

  /// The next bytes, as many as are at hand; none at the end.
  func some() throws -> [UInt8] {
    guard try hasMore() else { return [] }
    defer { place = held.count }
    return Array(held[place...])
  }

  /// The first `limit` bytes at most.
  package func all(limit: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let part = try some()
      guard !part.isEmpty else { break }
      bytes += part.prefix(limit &- bytes.count)
    }
    return bytes
  }

  /// Leaves out bytes; false if there are fewer.
  func skip(_ count: UInt64) throws -> Bool {
    var left = count
    while left > 0 {
      guard try hasMore() else { return false }
      let part = Int(min(left, UInt64(held.count &- place)))
      place &+= part
      left &-= UInt64(part)
    }
    return true
  }

  /// A number of up to eight bytes, the highest first; nil if there are fewer bytes.
  func number(_ count: Int) throws -> UInt64? {
    try bytes(count)?.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
