// Arithmetic in this file is in range: every place lies in the bytes held, whose count bounds it.

/// Received bytes that have not been read yet.
struct ByteInbox {
  /// Number of bytes at which those already read are released, so that each is moved about once.
  private static let compaction = 64 << 10

  private var bytes: [UInt8] = []
  private var head = 0

  var count: Int { bytes.count - head }

  mutating func append(_ more: [UInt8]) {
    if head == bytes.count {
      // Everything has been read: the new bytes replace the old without a copy.
      bytes = more
      head = 0
      return
    }
    if head >= ByteInbox.compaction {
      bytes.removeFirst(head)
      head = 0
    }
    bytes.append(contentsOf: more)
  }

  func peek(_ offset: Int) -> UInt8? {
    guard offset >= 0, offset < count else { return nil }
    return bytes[head + offset]
  }

  /// The big-endian number at `offset` from the position.
  func number(at offset: Int, octets: Int) -> UInt32? {
    guard offset >= 0, offset + octets <= count else { return nil }
    var value: UInt32 = 0
    for index in head + offset..<head + offset + octets { value = value << 8 | UInt32(bytes[index]) }
    return value
  }

  /// Returns the next `wanted` bytes, or fewer if there are fewer.
  mutating func take(upTo wanted: Int) -> ArraySlice<UInt8> {
    let taken = Swift.min(Swift.max(wanted, 0), count)
    defer { head += taken }
    return bytes[head..<head + taken]
  }

  mutating func skip(_ wanted: Int) {
    head += Swift.min(Swift.max(wanted, 0), count)
  }
}
