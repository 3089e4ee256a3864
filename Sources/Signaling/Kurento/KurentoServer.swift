import Machines
import Music

/// The vocabulary of Kurento Room; JSON-RPC's `connect` continues a session on another link.
package enum KurentoWords: RoomVocabulary {
  package static let door = Authorisation.Door.kurento
  package typealias Ticket = OperationNumber
  package typealias Reconnection = JSONRPCID
}

/// The server's side of one Kurento Room *session*, which may outlive its links.
///
/// Requests run strictly one after another. Operations that the machine starts by itself get replies like any other; it
/// ignores replies that it does not wait for. If a join succeeds after `.end`, the shell has to leave the room.
package struct KurentoServer: ~Copyable, Dialect {
  package typealias Words = KurentoWords
  package typealias Input = ConversationInput<KurentoWords>
  package typealias Output = ConversationOutput<KurentoWords>

  /// Kurento's own grace period for a lost session.
  package static let patience = ConversationPatience(afterLoss: .seconds(10), betweenRequests: .seconds(60))

  /// The operation awaited by the running request.
  struct Awaited {
    enum Purpose {
      case join(DisplayName)
      case publish(hadStood: Bool)
      case subscribe(String, PeerLabel, hadStood: Bool)
      case unpublish, unsubscribe, candidate, message, leave
      case take, cue, status, call
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
  private(set) var time: MonotonicTime
  /// Messages longer than those of other dialects, which everybody in the room receives.
  var longMessages = RateLimit(perSecond: 2, burst: 8)
  /// Events that arrived before the response to the join, which they must not overtake.
  var early: [RoomEvent] = []
  var outputs = OutputQueue<Output>()
  private var waiting: JSONRPCRequest?
  private var lastOperation = OperationNumber(0)

  /// A machine for a session that began at `now`; `sessionID` is for reconnecting.
  /// Without `rates` any number of requests is taken.
  package init(
    sessionID: String, traits: KurentoClientTraits, limits: JSONLimits = .signaling, rates: JSONRPCRates? = nil,
    at now: MonotonicTime
  ) {
    self.traits = traits
    time = now
    session = JSONRPCSession(
      sessionID: sessionID, hasWatchdog: true, limits: limits, candidateMethod: KurentoMethod.onIceCandidate.rawValue,
      rates: rates)
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
    // Requests released by an answer: at most one at a time, without recursion.
    while let request = waiting, !session.isEnded {
      waiting = nil
      run(request)
      transfer()
    }
  }

  private mutating func transfer() {
    if let request = session.transfer(to: &outputs) { waiting = request }
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

  /// Starts the room's operation for the running request, which gets its response after the room's reply.
  mutating func ask(_ command: RoomCommand, for purpose: Awaited.Purpose) {
    let operation = newOperation()
    awaited = Awaited(operation: operation, purpose: purpose)
    outputs.append(.perform(operation, command))
  }
}

/// Traits of the client from its upgrade request, which reveal its habits.
package struct KurentoClientTraits: Hashable, Sendable {
  package var hasOrigin: Bool
  package var hasUserAgent: Bool

  package init(hasOrigin: Bool, hasUserAgent: Bool) {
    self.hasOrigin = hasOrigin
    self.hasUserAgent = hasUserAgent
  }

  /// Android sends neither header and takes even an empty "streams" for "publishes"; iOS refuses a join without it.
  var takesEmptyStreamsForPublishing: Bool { !hasOrigin && !hasUserAgent }
}
