/// Times on the wire are fractional milliseconds, as in a browser's `performance.now()`; internally they are whole
/// nanoseconds.
enum NativeTime {
  /// The longest accepted time, in milliseconds: about 28 years, far below the limit of 64-bit nanoseconds.
  private static let maximum = 9e11

  static func milliseconds(_ nanoseconds: Int64) -> JSONValue {
    .measure(Double(nanoseconds) / 1e6)
  }

  static func nanoseconds(_ name: String, _ fields: NativeFields) throws(RoomRefusal) -> Int64? {
    guard let milliseconds = try fields.optionalDouble(name) else { return nil }
    return try nanoseconds(milliseconds, of: name)
  }

  static func nanoseconds(_ milliseconds: Double, of name: String) throws(RoomRefusal) -> Int64 {
    guard milliseconds.magnitude <= maximum, let whole = Int64(exactly: (milliseconds * 1e6).rounded()) else {
      throw RoomRefusal(.malformed, "\"\(name.prefix(64))\" is no time in milliseconds between -9e11 and 9e11")
    }
    return whole
  }
}
