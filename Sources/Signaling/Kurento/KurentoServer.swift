import Machines
import Music

/// The words of Kurento Room; a session goes on on another link by JSON-RPC's `connect`.
package enum KurentoWords: RoomVocabulary {
  package typealias Ticket = OperationNumber
  package typealias Reconnection = JSONRPCID
}

/// The server's side of one Kurento Room *session*, which may outlive its links.
///
/// Requests run strictly one after another. Operations that the machine asks for of its own accord are answered like any
/// other; what it does not wait for it passes over. A join that is answered after `.end` has to be left by the shell.
package struct KurentoServer: ~Copyable, Dialect {
  package typealias Words = KurentoWords
  package typealias Input = ConversationInput<KurentoWords>
  package typealias Output = ConversationOutput<KurentoWords>

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
  var outputs = OutputQueue<Output>()
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

  package mutating func next() -> Output? { outputs.next() }

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
    case .joined(let operation, let seating): joined(operation, seating)
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
