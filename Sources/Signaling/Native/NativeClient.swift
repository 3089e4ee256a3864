import Machines

/// The client's half of the native protocol.
package enum NativeClient: ClientDialect {
  package typealias Number = NativeRequestID
  package typealias Refusal = RoomRefusal
  package typealias News = RoomEvent

  package enum Question: Sendable {
    /// Asks to enter the room of the link; the token proves the permission.
    case join(JoinRequest, token: String? = nil)
    case perform(RoomCommand)
    /// Asks for the server's clock.
    case ping
  }

  package enum Answer: Hashable, Sendable {
    case joined(Seating)
    case reply(RoomReply)
    case clock(NativeClockSample)
  }

  package static func number(_ count: Int64) -> NativeRequestID { NativeRequestID(counting: count &+ 1) }

  package static func text(of question: Question, _ number: NativeRequestID, at now: MonotonicTime) -> String {
    let (method, parameters): (NativeMethod, JSONObject) =
      switch question {
      case .join(let request, let token): (.join, request.json(token: token))
      case .perform(let command): command.native
      case .ping: (.ping, ["t": NativeTime.milliseconds(now.nanoseconds)])
      }
    let request: JSONValue = [
      "id": .integer(number.number), "method": .string(method.rawValue), "params": .object(parameters),
    ]
    return request.text
  }

  package static func read(_ object: JSONObject) throws(RoomRefusal) -> ServerMessage<NativeClient>? {
    let message = NativeFields(object, of: "a message")
    if message.has("event") {
      // A newer service says more; its other events are as good as before.
      return try RoomEvent.isKnown(message) ? .news(try RoomEvent(message)) : nil
    }
    let id = object["id"]?.integer.flatMap(NativeRequestID.init)
    if let error = try message.optionalObject("error") { return .refused(id, try RoomRefusal(error)) }
    return .result(id, object["result"] ?? .null)
  }

  package static func answer(
    _ result: JSONValue, to question: Question, askedAt: MonotonicTime, at now: MonotonicTime
  ) throws(RoomRefusal) -> Answer {
    guard let object = result.object else {
      throw RoomRefusal(.malformed, "\"result\" is \(result.kind), not an object")
    }
    let fields = NativeFields(object, of: "\"result\"")
    switch question {
    case .join: return .joined(try Seating(fields))
    case .ping: return .clock(try NativeClockSample(fields, sentAt: askedAt, answeredAt: now))
    case .perform: return .reply(try RoomReply(fields))
    }
  }
}

/// One reading of the server's clock.
package struct NativeClockSample: Hashable, Sendable {
  /// Time of our request, by our clock.
  package var sentAt: MonotonicTime
  /// Arrival of the response, by our clock.
  package var answeredAt: MonotonicTime
  /// Time of the response, by the server's clock.
  package var serverTime: MonotonicTime

  /// The time between request and response.
  package var roundTrip: MonotonicTime.Span { answeredAt - sentAt }

  package init(sentAt: MonotonicTime, answeredAt: MonotonicTime, serverTime: MonotonicTime) {
    self.sentAt = sentAt
    self.answeredAt = answeredAt
    self.serverTime = serverTime
  }

  init(_ fields: NativeFields, sentAt: MonotonicTime, answeredAt: MonotonicTime) throws(RoomRefusal) {
    let serverTime = try NativeTime.nanoseconds(try fields.double("serverTime"), of: "serverTime")
    self.init(sentAt: sentAt, answeredAt: answeredAt, serverTime: MonotonicTime(nanoseconds: serverTime))
  }
}

/// Times on the wire are fractional milliseconds, as in a browser's `performance.now()`; internally they are whole
/// nanoseconds.
enum NativeTime {
  /// The longest accepted time, in milliseconds: 285 years, so that times since 1970 fit, and 64-bit nanoseconds hold it.
  private static let maximum = 9e12

  static func milliseconds(_ nanoseconds: Int64) -> JSONValue {
    .measure(Double(nanoseconds) / 1e6)
  }

  static func nanoseconds(_ name: String, _ fields: NativeFields) throws(RoomRefusal) -> Int64? {
    guard let milliseconds = try fields.optionalDouble(name) else { return nil }
    return try nanoseconds(milliseconds, of: name)
  }

  static func nanoseconds(_ milliseconds: Double, of name: String) throws(RoomRefusal) -> Int64 {
    guard milliseconds.magnitude <= maximum, let whole = Int64(exactly: (milliseconds * 1e6).rounded()) else {
      throw RoomRefusal(.malformed, "\"\(name.prefix(64))\" is no time in milliseconds between -9e12 and 9e12")
    }
    return whole
  }
}
