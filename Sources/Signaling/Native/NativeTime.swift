/// Times on the wire are milliseconds with a fraction, as a browser's `performance.now()` counts; inside they are whole
/// nanoseconds.
enum NativeTime {
  /// The longest time that is taken, in milliseconds: about 28 years, far from the end of 64-bit nanoseconds.
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
