import Machines
import Music

/// The server's side of one Kurento Room *session*, which may outlive its links.
///
/// Texts in, commands to a room and texts out. Requests run strictly one after another; the shell answers each `.join` by
/// `.joined` or `.refused` and each `.perform` by `.replied` or `.refused`, and feeds the membership's events. Operations
/// that the machine asks for of its own accord are answered like any other; what it does not wait for it passes over.
/// After `.end` nothing comes out any more; a join that is answered after it has to be left by the shell.
package struct KurentoServer: ~Copyable, Machine {
  package enum Input: Sendable {
    case text(String, from: LinkNumber)
    /// Something that is no text message or too long, with the sentence that says so.
    case unreadable(String, from: LinkNumber)
    case joined(OperationNumber, participant: ParticipantID, RoomSnapshot)
    case replied(OperationNumber, RoomReply)
    case refused(OperationNumber, RoomRefusal)
    /// Something happened in the room; of the membership that a join gave.
    case event(RoomEvent)
    /// This session goes on on `link`: answers that link's `connect`; with the room as it is now where the session had
    /// joined, so that what was missed is told as notifications.
    case resumed(JSONRPCID, on: LinkNumber, RoomSnapshot?)
    /// The session that a `connect` named is not known: answered 40007.
    case unknownSession(JSONRPCID, on: LinkNumber)
    /// The link is gone.
    case linkLost(LinkNumber)
  }

  package enum Output: Hashable, Sendable {
    /// The session wants to enter a room; the token is what proves that it may.
    case join(OperationNumber, room: RoomName, JoinRequest, token: String?)
    case perform(OperationNumber, RoomCommand)
    /// A `connect` that names another session than this one.
    case resume(sessionID: String, JSONRPCID, on: LinkNumber)
    /// The response to a request that came on this link.
    case answer(String, to: LinkNumber)
    /// A notification, for whatever WebSocket the session has.
    case notify(String)
    /// Close this link with this WebSocket code and reason; the session itself lives on (watchdog).
    case close(LinkNumber, code: UInt16, reason: String)
    /// The session is over: leave the room without grace, close its link.
    case end(code: UInt16, reason: String)
  }

  /// The operation for which the running request waits.
  struct Awaited {
    enum Purpose {
      case join(DisplayName)
      case publish(hadStood: Bool)
      case subscribe(String, PeerLabel, hadStood: Bool)
      case unpublish, unsubscribe, candidate, message, leave
      case take, cue, status
    }

    let operation: OperationNumber
    let purpose: Purpose
  }

  let traits: KurentoClientTraits
  var session: JSONRPCSession
  /// Nil before a join succeeded.
  var seat: KurentoSeat?
  var awaited: Awaited?
  /// The time of the last input.
  private var time: MonotonicTime
  /// Events that came before the join was answered, which nothing may overtake.
  var early: [RoomEvent] = []
  var outputs: [Output] = []
  private var waiting: JSONRPCRequest?
  private var lastOperation = OperationNumber(0)

  /// A machine for a session that began at `now`; `sessionID` is what the client may come back with.
  package init(
    sessionID: String, traits: KurentoClientTraits, limits: JSONLimits = .signaling, at now: MonotonicTime
  ) {
    self.traits = traits
    time = now
    session = JSONRPCSession(sessionID: sessionID, hasWatchdog: true, limits: limits)
  }

  package var deadline: MonotonicTime? { session.deadline }

  package mutating func next() -> Output? {
    outputs.isEmpty ? nil : outputs.removeFirst()
  }

  package mutating func advance(to now: MonotonicTime) {
    time = now
    session.advance(to: now)
    transfer()
  }

  package mutating func handle(_ input: Input, at now: MonotonicTime) {
    guard !session.isEnded else { return }
    time = now
    switch input {
    case .text(let text, let link): session.handle(.text(text, from: link), at: now)
    case .unreadable(let sentence, let link): session.handle(.unreadable(sentence, from: link), at: now)
    case .unknownSession(let id, let link): session.handle(.unknownSession(id, on: link), at: now)
    case .linkLost(let link): session.handle(.linkLost(link), at: now)
    case .resumed(let id, let link, let snapshot):
      session.handle(.resumed(id, on: link), at: now)
      transfer()
      if let snapshot { catchUp(with: snapshot) }
    case .joined(let operation, let participant, let snapshot): joined(operation, participant, snapshot)
    case .replied(let operation, let reply): replied(operation, reply)
    case .refused(let operation, let refusal): refused(operation, refusal)
    case .event(let event): receive(event)
    }
    transfer()
    // What an answer let go: at most one at a time, and no recursion.
    while let request = waiting, !session.isEnded {
      waiting = nil
      run(request)
      transfer()
    }
  }

  /// Moves what the session says behind what was said already, so that the order holds.
  private mutating func transfer() {
    while let output = session.next() {
      switch output {
      case .run(let request): waiting = request
      case .answer(let text, let link): outputs.append(.answer(text, to: link))
      case .close(let link, let code, let reason): outputs.append(.close(link, code: code, reason: reason))
      case .resume(let name, let id, let link): outputs.append(.resume(sessionID: name, id, on: link))
      case .end(let code, let reason): outputs.append(.end(code: code, reason: reason))
      }
    }
  }

  /// Answers the running request.
  mutating func finish(_ outcome: Result<JSONRPCResult, JSONRPCError>) {
    awaited = nil
    session.handle(.finished(outcome), at: time)
    transfer()
  }

  mutating func tell(_ notification: KurentoNotification) {
    outputs.append(.notify(notification.text))
  }

  mutating func end(code: UInt16, reason: String) {
    session.handle(.end(code: code, reason: reason), at: time)
    transfer()
  }

  /// The number for a new operation.
  mutating func newOperation() -> OperationNumber {
    lastOperation = lastOperation.next
    return lastOperation
  }

  /// Asks the room for what the running request wants; it is answered when the room's answer comes.
  mutating func ask(_ command: RoomCommand, for purpose: Awaited.Purpose) {
    let operation = newOperation()
    awaited = Awaited(operation: operation, purpose: purpose)
    outputs.append(.perform(operation, command))
  }
}
