extension RTMPObjectMessage {
  /// Length of an event's header: its type and its length.
  private static let eventHead = 5

  /// Parses a message strictly and, if that fails, once more with the deviations of the iOS library.
  init(_ message: RTMPMessage, limits: RTMPLimits, values: AMFLimits = .message) throws(RTMPObjectFailure) {
    let body = message.values
    do throws(RTMPObjectFailure) {
      try self.init(body, of: message.body, limits, values, isLenient: false)
    } catch {
      guard !error.isHostile, let lenient = try? Self(body, of: message.body, limits, values, isLenient: true)
      else { throw error }
      self = lenient
    }
  }

  private init(
    _ body: ByteReader, of bytes: [UInt8], _ limits: RTMPLimits, _ valueLimits: AMFLimits, isLenient: Bool
  ) throws(RTMPObjectFailure) {
    var body = body
    guard let name = body.text16(), let version = body.u32(), let flags = body.u32(), body.u32() != nil else {
      throw RTMPObjectFailure("a shared-object message ends within its header")
    }
    self.name = name
    self.version = version
    self.flags = flags
    events = []
    var values = AMFReader(body, limits: valueLimits, isLenient: isLenient)
    var count = 0
    while body.remaining > 0 {
      count += 1
      guard count <= limits.events else {
        throw RTMPObjectFailure("a shared-object message has more than \(limits.events) events", isHostile: true)
      }
      guard body.remaining >= RTMPObjectMessage.eventHead, let type = body.u8(), let announced = body.u32() else {
        throw RTMPObjectFailure("a shared-object message ends within the header of event \(count)")
      }
      let length = isLenient ? RTMPObjectMessage.length(Int(announced), of: type, at: body) : Int(announced)
      let start = body.position
      guard body.part(length) != nil else {
        throw RTMPObjectFailure("event \(count) has \(length) bytes, but only \(body.remaining) are left")
      }
      // in range: the length was compared with what is left
      values.move(to: ByteReader(bytes, from: start, to: start + length))
      do throws(AMFError) {
        try read(type, &values)
      } catch {
        throw RTMPObjectFailure("event \(count) (\(type)) of a shared-object message: \(error)")
      }
      guard events.count <= limits.events else {
        throw RTMPObjectFailure("a shared-object message sets more than \(limits.events) slots", isHostile: true)
      }
    }
  }

  /// The iOS library counts the UTF-16 units of keys instead of their bytes.
  private static func length(_ announced: Int, of type: UInt8, at body: ByteReader) -> Int {
    guard [5, 7, 9, 10].contains(type), let high = body.peek(), let low = body.peek(1) else { return announced }
    // in range: 16 bits
    return max(announced, 2 + (Int(high) << 8 | Int(low)))
  }

  private mutating func read(_ type: UInt8, _ data: inout AMFReader) throws(AMFError) {
    switch type {
    case 1: events.append(.use)
    case 2: events.append(.release)
    case 3, 4, 13:
      repeat {
        let key = try data.key()
        let value = try data.value()
        switch type {
        case 3: events.append(.requestChange(key, value))
        case 4: events.append(.change(key, value))
        default: events.append(.changeEcho(key, value))
        }
      } while !data.isAtEnd
    case 5:
      let key = try data.key()
      events.append(.success(key, data.isAtEnd ? nil : try data.value()))
    case 6:
      guard let name = try data.value().string else { throw .truncated("a message without a name") }
      var arguments: [AMFValue] = []
      while !data.isAtEnd { arguments.append(try data.value()) }
      events.append(.message(name, arguments))
    case 7: events.append(.status(code: try data.key(), level: data.isAtEnd ? "error" : try data.key()))
    case 8: events.append(.clear)
    case 9: events.append(.remove(try data.key()))
    case 10: events.append(.requestRemove(try data.key()))
    case 11: events.append(.useSuccess)
    case 14: events.append(.requestClear)
    // 12 is traffic between other vendors' servers; unknown types are possible too.
    default: break
    }
  }
}

extension AMFReader {
  /// Text without a marker: a slot's key, or a status's code and level.
  fileprivate mutating func key() throws(AMFError) -> String {
    guard let count = cursor.u16() else { throw .truncated("a slot's key") }
    return try text(count, of: "a slot's key", limit: limits.key)
  }
}

/// The reason why a shared-object message was not accepted.
struct RTMPObjectFailure: Error, Hashable, Sendable {
  /// A sentence.
  let reason: String
  /// True if the connection must be closed rather than only the message dropped.
  let isHostile: Bool

  init(_ reason: String, isHostile: Bool = false) {
    self.reason = reason
    self.isHostile = isHostile
  }
}
