import Machines
import Music

/// The server's side of one client of OpenTok's wire: Rumor's frames, Raptor's messages, and the order of JSEP.
///
/// The client's connection ends here, whatever the session's mode. Texts are Rumor's frames as JSON (`RumorFrame.text`).
package struct OpenTokServer: ~Copyable, Dialect {
  package typealias Words = OpenTokWords
  package typealias Input = ConversationInput<OpenTokWords>
  package typealias Output = ConversationOutput<OpenTokWords>

  /// As long as clients try to come back.
  package static let patience = ConversationPatience(
    afterLoss: .seconds(60), afterGoodbye: .zero, betweenRequests: .seconds(10))

  /// What an operation of the session or the room is for.
  enum Purpose {
    /// The request of this transaction is answered with the outcome.
    case plain(transaction: String?)
    case join(transaction: String?)
    case beginStream(transaction: String?, OpenTokStreamID, RaptorPlace)
    case publish(transaction: String?, PeerLabel)
    case subscribe(transaction: String?, PeerLabel, RaptorPlace)
  }

  /// A stream of the client's own.
  struct OwnStream {
    var id: OpenTokStreamID
    var description: OpenTokLedger.StreamDescription
    var channels: [OpenTokChannel]
  }

  /// The address of the service in Raptor; clients know it by its first part.
  package static let symphony = "symphony.jamjar"
  /// A code by which the client does not try to come back.
  static let final: UInt16 = 1011

  let sessionID: String
  let limits: JSONLimits
  var exchange: RumorExchange
  /// The client's address in Rumor; nil before its first frame.
  var connection: OpenTokConnectionID?
  var entry: OpenTokEntry?
  var welcome: OpenTokWelcome?
  /// True once the client has read the session: from then on it gets what happens.
  var hasRead = false
  var state: OpenTokSessionState?
  var archives: [OpenTokArchiveNotice] = []
  /// What happened before the welcome.
  var early: [OpenTokNotice] = []
  static let mostEarly = 256
  var legs = OpenTokLegs()
  var streams: [OwnStream] = []
  /// Most streams of one client.
  static let mostStreams = 8
  var awaited: [OperationNumber: Purpose] = [:]
  var outputs = OutputQueue<Output>()
  private(set) var time: MonotonicTime
  private var isEnded = false
  private var link: LinkNumber?
  /// True for a socket that came to continue a session.
  private let isReturning: Bool
  private var lastOperation = OperationNumber(0)
  /// Most operations that may wait.
  private static let mostUnderWay = 256
  private var underWay = 0
  /// Signals to others.
  var allowance = RateLimit(perSecond: 20, burst: 100)

  /// A machine for the socket `link`, opened at `now`.
  package init(
    sessionID: String, _ opening: OpenTokOpening, on link: LinkNumber, limits: JSONLimits = .signaling,
    at now: MonotonicTime
  ) {
    (self.sessionID, self.limits, self.link, time) = (sessionID, limits, link, now)
    exchange = RumorExchange(acknowledges: opening != .fresh, at: now)
    isReturning = opening == .unknown
  }

  package var deadline: MonotonicTime? { isEnded ? nil : exchange.deadline }

  package mutating func next() -> Output? { outputs.next() }

  package mutating func advance(to now: MonotonicTime) {
    time = now
    guard !isEnded, let deadline = exchange.deadline, deadline <= now else { return }
    guard exchange.acknowledges, let link else { return end(code: 4001, reason: "nothing was heard of the client") }
    // It comes back, on another socket.
    exchange.unlink()
    outputs.append(.close(link, code: 4001, reason: "nothing was heard of the client"))
  }

  package mutating func handle(_ input: Input, at now: MonotonicTime) {
    guard !isEnded else { return }
    time = now
    switch input {
    case .text(let text, let link):
      self.link = link
      receive(text)
    case .unreadable(let sentence, _): end(code: 1003, reason: sentence)
    case .joined(let operation, let welcome):
      underWay &-= 1
      joined(operation, welcome)
    case .replied(let operation, let reply):
      underWay &-= 1
      replied(operation, reply)
    case .refused(let operation, let refusal):
      underWay &-= 1
      refused(operation, refusal)
    case .event(let notice): receive(notice)
    case .resumed(_, let link, let scene):
      self.link = link
      exchange.heard(at: now)
      if let scene { catchUp(with: scene) }
      for frame in exchange.missed { outputs.append(.notify(frame.text)) }
    case .unknownSession: end(code: OpenTokServer.final, reason: "the session is over")
    case .linkLost(let link):
      guard link == self.link else { return }
      exchange.unlink()
      if !exchange.acknowledges { end(code: 1000, reason: "the client is gone") }
    }
  }

  // MARK: Frames

  /// Of a frame as text: its payload, which is JSON itself, has grown by its escapes.
  private var frameLimits: JSONLimits {
    JSONLimits(bytes: limits.bytes &* 7, depth: 3, stringBytes: limits.bytes, values: 64)
  }

  private mutating func receive(_ text: String) {
    guard let frame = RumorFrame(text: text, limits: frameLimits) else {
      return end(code: 1002, reason: "a message is no frame of Rumor")
    }
    exchange.heard(at: time)
    guard connection != nil || frame.kind == .connect || (frame.kind == .ping && !isReturning) else {
      let sentence = isReturning ? "the session is over; connect anew" : "the first frame of a client is connect"
      return end(code: OpenTokServer.final, reason: sentence)
    }
    switch frame.kind {
    case .ping: outputs.append(.notify(RumorFrame(.pong).text))
    case .pong: break
    case .connect: connect(frame)
    case .disconnect: leave()
    case .status: if let transaction = frame[RumorHeader.transaction] { exchange.acknowledged(transaction) }
    // A client has one session, of which it is told everything.
    case .subscribe, .unsubscribe: answer(frame[RumorHeader.transaction])
    case .message: accept(frame)
    }
  }

  private mutating func connect(_ frame: RumorFrame) {
    guard let id = frame[RumorHeader.uniqueID].flatMap({ OpenTokConnectionID($0) }),
      connection == nil || connection == id
    else { return end(code: OpenTokServer.final, reason: "uniqueId is the connection's UUID, which stays the same") }
    connection = id
    answer(frame[RumorHeader.transaction])
  }

  private mutating func accept(_ frame: RumorFrame) {
    let transaction = frame[RumorHeader.transaction]
    if let transaction {
      guard transaction.utf8.count <= RumorExchange.longestID else {
        return end(code: OpenTokServer.final, reason: "a TRANSACTION-ID has \(RumorExchange.longestID) bytes at most")
      }
      if case .repeated(let answer) = exchange.arrived(transaction) {
        if let answer { outputs.append(.notify(answer.text)) }
        return
      }
    }
    guard underWay < OpenTokServer.mostUnderWay else {
      return end(code: OpenTokServer.final, reason: "too many messages wait to be carried out")
    }
    do throws(OpenTokRefusal) {
      try run(try RaptorMessage(parsing: frame.payload, limits: limits), transaction, frame)
    } catch {
      refuse(transaction, error)
    }
  }

  /// Answers a request with 200, and with content if there is some.
  mutating func answer(_ transaction: String?, _ message: RaptorMessage? = nil) {
    status(transaction, "200", payload: message?.text ?? "")
  }

  mutating func refuse(_ transaction: String?, _ refusal: OpenTokRefusal) {
    status(transaction, String(refusal.status), payload: refusal.json.text)
  }

  private mutating func status(_ transaction: String?, _ status: String, payload: String) {
    // Clients of older releases number only what they want answered.
    guard let transaction, !isEnded else { return }
    let frame = RumorFrame(
      .status, to: connection.map { [$0.description] } ?? [],
      [
        RumorFrame.Header(RumorHeader.transaction, transaction), RumorFrame.Header(RumorHeader.status, status),
        RumorFrame.Header(RumorHeader.from, OpenTokServer.symphony),
      ], payload: payload)
    exchange.answered(transaction, by: frame)
    outputs.append(.notify(frame.text))
  }

  /// Sends a message of Raptor.
  /// - Parameters:
  ///   - from: the connection that it comes from; empty for an application's server.
  ///   - transaction: of the request that it answers.
  mutating func tell(
    _ message: RaptorMessage, from sender: String = symphony, answering transaction: String? = nil
  ) {
    guard !isEnded else { return }
    let frame = RumorFrame(
      .message, to: [RaptorPlace(key: message.place.key, session: message.place.session).uri],
      [
        RumorFrame.Header(RumorHeader.contentType, "application/x-raptor+v2"),
        RumorFrame.Header(RumorHeader.transaction, transaction ?? exchange.newTransaction()),
        RumorFrame.Header(RumorHeader.from, sender),
      ], payload: message.text)
    if let transaction { exchange.answered(transaction, by: frame) }
    outputs.append(.notify(frame.text))
    if !exchange.keep(frame) { end(code: OpenTokServer.final, reason: "too many messages were not acknowledged") }
  }

  // MARK: Operations

  private mutating func newOperation(_ purpose: Purpose?) -> OperationNumber {
    lastOperation = lastOperation.next
    awaited[lastOperation] = purpose
    // in range: `mostUnderWay`, and the few that one message begins
    underWay &+= 1
    return lastOperation
  }

  mutating func ask(_ command: OpenTokCommand, for purpose: Purpose? = nil) {
    outputs.append(.perform(newOperation(purpose), command))
  }

  mutating func join(_ entry: OpenTokEntry, _ transaction: String?) {
    self.entry = entry
    outputs.append(.join(newOperation(.join(transaction: transaction)), entry))
  }

  mutating func leave() {
    if welcome != nil { ask(.room(.leave)) }
    end(code: 1000, reason: "disconnected")
  }

  mutating func end(code: UInt16, reason: String) {
    guard !isEnded else { return }
    isEnded = true
    outputs.append(.end(code: code, reason: reason))
  }
}
