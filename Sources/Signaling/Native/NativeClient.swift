import Machines

/// The client's side of one native signaling link: converts requests to JSON texts, and texts to replies and events.
///
/// The calls `join`, `perform` and `ping` queue a text and return the request's identifier, which the response repeats.
package struct NativeClient: ~Copyable, Machine {
  package enum Input: Sendable {
    /// A text message of the server.
    case text(String)
  }

  package enum Output: Hashable, Sendable {
    /// A text message for the server.
    case send(String)
    /// The response to join.
    case joined(NativeRequestID, Seating)
    /// The response to a command.
    case reply(NativeRequestID, RoomReply)
    /// The server refused a join or a command; without an identifier it could not read our text.
    case refused(NativeRequestID?, RoomRefusal)
    /// The response to a ping.
    case clock(NativeRequestID, NativeClockSample)
    /// An event of the room.
    case event(RoomEvent)
    /// The server violated the protocol; the sentence says how.
    case violation(String)
  }

  private let limits: JSONLimits
  private var lastID: Int64 = 0
  private var pending: [NativeRequestID: (method: NativeMethod, sentAt: MonotonicTime)] = [:]
  private var outputs = OutputQueue<Output>()

  package init(limits: JSONLimits = .received) {
    self.limits = limits
  }

  package var deadline: MonotonicTime? { nil }

  package mutating func advance(to now: MonotonicTime) {}

  package mutating func next() -> Output? { outputs.next() }

  /// Asks to enter the room of the link; the token proves the permission.
  package mutating func join(_ request: JoinRequest, token: String? = nil, at now: MonotonicTime) -> NativeRequestID {
    ask(.join, request.json(token: token), at: now)
  }

  /// Sends a command to the room.
  package mutating func perform(_ command: RoomCommand, at now: MonotonicTime) -> NativeRequestID {
    let (method, parameters) = command.native
    return ask(method, parameters, at: now)
  }

  /// Requests a clock sample.
  package mutating func ping(at now: MonotonicTime) -> NativeRequestID {
    ask(.ping, ["t": NativeTime.milliseconds(now.nanoseconds)], at: now)
  }

  package mutating func handle(_ input: Input, at now: MonotonicTime) {
    switch input {
    case .text(let text):
      do throws(RoomRefusal) {
        try receive(text, at: now)
      } catch {
        outputs.append(.violation(error.description))
      }
    }
  }

  private mutating func ask(_ method: NativeMethod, _ parameters: JSONObject, at now: MonotonicTime) -> NativeRequestID
  {
    lastID &+= 1
    let id = NativeRequestID(counting: lastID)
    pending[id] = (method, now)
    let request: JSONValue = [
      "id": .integer(id.number), "method": .string(method.rawValue), "params": .object(parameters),
    ]
    outputs.append(.send(request.text))
    return id
  }

  private mutating func receive(_ text: String, at now: MonotonicTime) throws(RoomRefusal) {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: text, limits: limits)
    } catch {
      throw RoomRefusal(error)
    }
    guard let object = value.object else { throw RoomRefusal(.malformed, "a message is \(value.kind), not an object") }
    let message = NativeFields(object, of: "a message")
    if message.has("event") {
      // A newer service says more; its other events are as good as before.
      guard try RoomEvent.isKnown(message) else { return }
      return outputs.append(.event(try RoomEvent(message)))
    }
    let id = object["id"]?.integer.flatMap(NativeRequestID.init)
    if let error = try message.optionalObject("error") {
      if let id { pending[id] = nil }
      return outputs.append(.refused(id, try RoomRefusal(error)))
    }
    guard let id, let (method, sentAt) = pending.removeValue(forKey: id) else {
      throw RoomRefusal(.malformed, "an answer belongs to no request of ours")
    }
    let result = try message.object("result")
    switch method {
    case .join: outputs.append(.joined(id, try Seating(result)))
    case .ping:
      outputs.append(.clock(id, try NativeClockSample(result, sentAt: sentAt, answeredAt: now)))
    default: outputs.append(.reply(id, try RoomReply(result)))
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
