import Music

/// A cursor over a body's bytes; every read is checked, and surplus bytes at the end (a newer release's) are left.
struct JournalBody {
  /// A body that ends too early or holds an impossible value.
  struct Malformed: Error, Hashable {
    var reason: String
  }

  private var bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  /// True when nothing is left, which is how an older release's shorter body looks.
  var isAtEnd: Bool { bytes.isEmpty }

  mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
    guard count <= bytes.count else {
      throw Malformed(reason: "\(count) bytes were expected where \(bytes.count) are left")
    }
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }

  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) throws(Malformed) -> Number {
    var value: Number = 0
    for (index, byte) in try take(MemoryLayout<Number>.size).enumerated() {
      value |= Number(truncatingIfNeeded: byte) &<< Number(truncatingIfNeeded: index * 8)
    }
    return value
  }

  mutating func optionalNumber() throws(Malformed) -> UInt8? {
    let value = try number(UInt8.self)
    return value == JournalSink.absent ? nil : value
  }

  mutating func ulid() throws(Malformed) -> ULID {
    let high = try number(UInt64.self).byteSwapped
    return ULID(high: high, low: try number(UInt64.self).byteSwapped)
  }

  mutating func text() throws(Malformed) -> String {
    String(decoding: try take(Int(try number(UInt16.self))), as: UTF8.self)
  }

  mutating func optionalText() throws(Malformed) -> String? {
    try number(UInt8.self) == 0 ? nil : try text()
  }

  /// A display name; one that today's rules refuse is reduced to its letters and digits, because the rules may have
  /// been others when the journal was written.
  mutating func displayName() throws(Malformed) -> DisplayName {
    let text = try text()
    if let name = DisplayName(text) ?? DisplayName(JournalBody.plain(text)) ?? DisplayName("unnamed") { return name }
    throw Malformed(reason: "\"\(text)\" is no display name")
  }

  mutating func roomName() throws(Malformed) -> RoomName {
    let text = try text()
    if let name = RoomName(text) ?? RoomName(JournalBody.plain(text)) ?? RoomName("unnamed") { return name }
    throw Malformed(reason: "\"\(text)\" is no room name")
  }

  private static func plain(_ text: String) -> String {
    String(text.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(64))
  }
}
