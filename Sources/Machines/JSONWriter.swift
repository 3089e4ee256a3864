/// Writes compact JSON text on one line into memory of its own: the one place that knows how values are spelled.
///
/// `literal` takes names and punctuation as they are, so that a list is written without objects in between; the caller
/// sees to the syntax, and tests compare with the text of objects. What a page calls a thousand times is
/// inlinable, because another module calls it, and public, because the compiler inlines nothing else there (decision 78).
public struct JSONWriter: ~Copyable {
  // An array would check on each of the thousand small writes of a page that nobody else holds it. Nobody else holds
  // this: the type cannot be copied. `room` sees to it that nothing is written beyond `capacity`.
  @usableFromInline private(set) var start: UnsafeMutablePointer<UInt8>
  @usableFromInline private(set) var capacity: Int
  @usableFromInline var count = 0

  /// - Parameter capacity: the expected length in bytes; more is found as needed.
  package init(capacity: Int = 256) {
    self.capacity = max(capacity, 64)
    start = .allocate(capacity: self.capacity)
  }

  deinit { start.deallocate() }

  /// What has been written.
  package var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

  /// Space for `length` more bytes, at the end of what has been written.
  @inlinable public mutating func room(for length: Int) -> UnsafeMutablePointer<UInt8> {
    // In range: both are lengths of memory.
    if capacity - count < length { grow(by: length) }
    return start + count
  }

  @usableFromInline mutating func grow(by length: Int) {
    let capacity = max(self.capacity * 2, count + length)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: start, count: count)
    start.deallocate()
    (start, self.capacity) = (larger, capacity)
  }

  /// Text that is JSON already.
  @inlinable public mutating func literal(_ text: StaticString) {
    room(for: text.utf8CodeUnitCount).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    count += text.utf8CodeUnitCount
  }

  /// A string that needs no escapes, written by `write` into at most `most` bytes.
  @inlinable public mutating func plain(most: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
    let place = room(for: most + 2)
    place[0] = UInt8(ascii: "\"")
    let length = write(UnsafeMutableBufferPointer(start: place + 1, count: most))
    place[length + 1] = UInt8(ascii: "\"")
    count += length + 2
  }

  package mutating func string(_ string: String) {
    let isDone: Void? = string.utf8.withContiguousStorageIfAvailable { escaped($0) }
    if isDone == nil { Array(string.utf8).withUnsafeBufferPointer { escaped($0) } }
  }

  /// A string of UTF-8 bytes.
  package mutating func escaped(_ text: UnsafeBufferPointer<UInt8>) {
    // The longest escape of a byte has six.
    let place = room(for: text.count + 5 * text.count(where: JSONWriter.hasEscape) + 2)
    place[0] = UInt8(ascii: "\"")
    var end = 1
    for byte in text {
      if !JSONWriter.hasEscape(byte) {
        place[end] = byte
        end += 1
      } else {
        for escape in JSONWriter.escape(byte) {
          place[end] = escape
          end += 1
        }
      }
    }
    place[end] = UInt8(ascii: "\"")
    count += end + 1
  }

  private static func hasEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func escape(_ byte: UInt8) -> [UInt8] {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): return [UInt8(ascii: "\\"), byte]
    case 0x0A: return Array("\\n".utf8)
    case 0x0D: return Array("\\r".utf8)
    case 0x09: return Array("\\t".utf8)
    default:
      let digits = String(byte, radix: 16)
      return Array("\\u00\(digits.count == 1 ? "0" : "")\(digits)".utf8)
    }
  }

  @inlinable public mutating func bool(_ bool: Bool) { literal(bool ? "true" : "false") }

  package mutating func integer(_ integer: Int64) {
    let place = room(for: 20)
    var rest = integer.magnitude
    var length = integer < 0 ? 2 : 1
    while rest > 9 {
      rest /= 10
      length += 1
    }
    rest = integer.magnitude
    for index in (0..<length).reversed() {
      place[index] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
    if integer < 0 { place[0] = UInt8(ascii: "-") }
    count += length
  }

  /// A number; null for infinity and what is none, which JSON cannot say.
  package mutating func number(_ number: Double) { ascii(number.isFinite ? number.description : "null") }

  /// A number that is written without a fraction if it is whole.
  package mutating func measure(_ value: Double) {
    if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { integer(whole) } else { number(value) }
  }

  private mutating func ascii(_ text: String) {
    let (place, length) = (room(for: text.utf8.count), text.utf8.count)
    for (index, byte) in text.utf8.enumerated() { place[index] = byte }
    count += length
  }

  /// Writes `value`, or null without one.
  @inlinable @inline(__always) public mutating func optional<Value>(
    _ value: Value?, _ write: (inout JSONWriter, Value) -> Void
  ) {
    if let value { write(&self, value) } else { literal("null") }
  }

  /// An array of what `write` makes of each item.
  @inlinable @inline(__always) public mutating func array<Item>(
    _ items: [Item], _ write: (inout JSONWriter, Item) -> Void
  ) {
    literal("[")
    var isFirst = true
    for item in items {
      if !isFirst { literal(",") }
      isFirst = false
      write(&self, item)
    }
    literal("]")
  }
}
