import Machines
import Music

/// The vocabulary of the native protocol: its clients number their requests themselves.
package enum NativeWords: RoomVocabulary {
  package static let door = Authorisation.Door.native
  package typealias Ticket = NativeRequestID
  /// A join with the seat's secret takes back a lost seat.
  package typealias Reconnection = Never
}

/// The server's side of one native signaling link: JSON texts in, commands to a room and JSON texts out.
///
/// A link is not joined, joining, joined or ended. A wrong request gets an error and leaves the link open. Only
/// `maximumFaults` unreadable messages in a row, a missing join, and the room itself end the link.
package struct NativeServer: ~Copyable, Dialect {
  package typealias Words = NativeWords
  package typealias Input = ConversationInput<NativeWords>
  package typealias Output = ConversationOutput<NativeWords>

  package static let patience = ConversationPatience.none

  /// The stages of a link.
  enum State: Hashable, Sendable {
    case notJoined
    case joining(NativeRequestID)
    case joined
    case ended
  }

  /// Most pending requests.
  package static let maximumPending = 64
  /// Unreadable messages in a row after which the link is closed: the client does not speak this protocol.
  package static let maximumFaults = 32
  /// How long a link may exist without a join.
  package static let joinTimeout = MonotonicTime.Span.seconds(30)

  /// The room as given in the link's address.
  private let room: String
  private let limits: JSONLimits
  private var state = State.notJoined
  private var pending: [NativeRequestID: NativeMethod] = [:]
  private var outputs = OutputQueue<Output>()
  private var faults = 0
  private var joinDeadline: MonotonicTime

  /// A machine for a link to `room` that was opened at `now`; the join checks the room's name, because a browser can
  /// read its response.
  package init(room: String, limits: JSONLimits = .signaling, at now: MonotonicTime) {
    self.room = room
    self.limits = limits
    joinDeadline = now + NativeServer.joinTimeout
  }

  package var deadline: MonotonicTime? { state == .notJoined ? joinDeadline : nil }

  package mutating func next() -> Output? { outputs.next() }

  package mutating func advance(to now: MonotonicTime) {
    guard state == .notJoined, now >= joinDeadline else { return }
    close(.policy, "no join came within \(Int(NativeServer.joinTimeout.seconds)) seconds")
  }

  package mutating func handle(_ input: Input, at now: MonotonicTime) {
    guard state != .ended else { return }
    switch input {
    case .text(let text, _): receive(text, at: now)
    case .unreadable(let sentence, _): fault(RoomRefusal(.malformed, sentence))
    case .joined(let id, let seating):
      guard state == .joining(id), pending.removeValue(forKey: id) != nil else { return }
      state = .joined
      send(["id": .integer(id.number), "result": .object(seating.json)])
    case .replied(let id, let reply):
      guard let method = pending.removeValue(forKey: id) else { return }
      send(["id": .integer(id.number), "result": .object(reply.json)])
      if method == .leave { close(.normal, "left") }
    case .refused(let id, let refusal):
      guard pending.removeValue(forKey: id) != nil else { return }
      if state == .joining(id) {
        state = .notJoined
        joinDeadline = now + NativeServer.joinTimeout
      }
      refuse(id, refusal)
    case .event(let event):
      send(event.json)
      if case .closed(let reason) = event { close(NativeClosing(reason), reason.rawValue) }
    case .linkLost: close(.normal, "the link is gone")
    }
  }

  private mutating func receive(_ text: String, at now: MonotonicTime) {
    let request: NativeRequest
    do throws(NativeFault) {
      request = try NativeRequest(text, limits: limits)
    } catch {
      return fault(error.refusal, id: error.id)
    }
    faults = 0
    do throws(RoomRefusal) {
      try perform(request, at: now)
    } catch {
      refuse(request.id, error)
    }
  }

  private mutating func perform(_ request: NativeRequest, at now: MonotonicTime) throws(RoomRefusal) {
    if request.method == .ping { return try pong(request, at: now) }
    guard pending[request.id] == nil else {
      throw RoomRefusal(.malformed, "the request \(request.id) still waits for its answer; count the identifiers up")
    }
    guard pending.count < NativeServer.maximumPending else {
      throw RoomRefusal(.tooMany, "\(NativeServer.maximumPending) requests wait for their answers; wait for one")
    }
    switch (state, request.method) {
    case (.notJoined, .join):
      let entry = RoomEntry(
        try roomName(), try JoinRequest(request.parameters),
        token: try request.parameters.optionalString("token"))
      state = .joining(request.id)
      pending[request.id] = .join
      outputs.append(.join(request.id, entry))
    case (.joining, .join), (.joined, .join):
      throw RoomRefusal(.alreadyJoined, "this link has joined; leave first, or open another link")
    case (.joined, let method):
      guard let command = try RoomCommand.native(method, request.parameters) else { return }
      pending[request.id] = method
      outputs.append(.perform(request.id, command))
    case (.joining, let method):
      throw RoomRefusal(.notJoined, "\(method.rawValue) came before join was answered; wait for its result")
    case (.notJoined, let method), (.ended, let method):
      throw RoomRefusal(.notJoined, "\(method.rawValue) needs a join first")
    }
  }

  private func roomName() throws(RoomRefusal) -> RoomName {
    do throws(NameError) {
      return try RoomName(checking: room)
    } catch {
      throw RoomRefusal(.invalidName, error.description)
    }
  }

  /// Responds at once, so that the round trip includes no queue of ours.
  private mutating func pong(_ request: NativeRequest, at now: MonotonicTime) throws(RoomRefusal) {
    let time = try request.parameters.optionalDouble("t")
    send([
      "id": .integer(request.id.number),
      "result": ["t": time.map(JSONValue.measure) ?? .null, "serverTime": NativeTime.milliseconds(now.nanoseconds)],
    ])
  }

  private mutating func send(_ object: JSONObject) {
    outputs.append(.notify(JSONValue.object(object).text))
  }

  private mutating func refuse(_ id: NativeRequestID?, _ refusal: RoomRefusal) {
    send(["id": id.map { .integer($0.number) } ?? .null, "error": .object(refusal.json)])
  }

  private mutating func fault(_ refusal: RoomRefusal, id: NativeRequestID? = nil) {
    refuse(id, refusal)
    faults += 1
    if faults >= NativeServer.maximumFaults {
      close(.policy, "\(faults) messages in a row were no requests")
    }
  }

  private mutating func close(_ code: NativeClosing, _ reason: String) {
    state = .ended
    pending = [:]
    outputs.append(.end(code: code.rawValue, reason: reason))
  }
}

/// The codes for closing a native link (RFC 6455 section 7.4.1; 4000 and above are ours).
package enum NativeClosing: UInt16, Hashable, Sendable, CaseIterable {
  /// The member left, or the room was closed.
  case normal = 1000
  /// The service shuts down; resume later.
  case shutdown = 1001
  /// The client broke the rules for too long.
  case policy = 1008
  /// The member did not keep up with the events; resume.
  case tooSlow = 1013
  /// Another link took over the same seat.
  case replaced = 4001
  /// A moderator removed the member, or their token was revoked; clients do not come back by themselves.
  case kicked = 4002
  /// The member's token has expired; clients come back with a new one.
  case expired = 4003

  init(_ reason: RoomEvent.ClosingReason) {
    self =
      switch reason {
      case .replaced: .replaced
      case .shutdown: .shutdown
      case .tooSlow: .tooSlow
      case .roomClosed: .normal
      case .kicked: .kicked
      case .expired: .expired
      }
  }
}
