import Machines
import Music

/// The server's side of one socket of Remote Monster: a client of RemonCall, RemonCast or RemonConference.
///
/// The first frame's token binds the socket; everything after it is that token's. Each client object of the SDKs has one
/// socket, one channel and one media connection, which ends at Jamjar, except between two callers who came into a mesh.
package struct RemonServer: ~Copyable, Dialect {
  package typealias Words = RemonWords
  package typealias Input = ConversationInput<RemonWords>
  package typealias Output = ConversationOutput<RemonWords>

  /// The room's own grace period, if there is a seat.
  package static let patience = ConversationPatience(
    afterLoss: .seconds(10), betweenRequests: .seconds(10), withoutProof: .seconds(15))

  /// What an operation is for.
  enum Purpose {
    case present(RemonFrame)
    case find(RemonChannel)
    case search
    case join
    /// The answer to the client's offer.
    case answer(PeerLabel)
    /// Our offer.
    case offer(PeerLabel)
    /// Whether a connection has outlived the time without a socket.
    case check(PeerLabel)
    /// Whatever is wrong is worth an `onError`.
    case report
    /// The presence becomes a musician: it leaves, and comes back with an instrument.
    case upgrade
    case leave
  }

  /// A channel that is being entered.
  struct Wish {
    var channel: RemonChannel
    var part: RemonPart
    var entry: RemonEntry
    var source: ParticipantID?
    /// False once the name was taken, and another one is tried.
    var isFirstTry = true
  }

  /// Interval of `ping`.
  package static let pingInterval = MonotonicTime.Span.seconds(15)
  /// Most frames that wait for the token to be looked at.
  private static let mostWaiting = 64
  /// Most operations under way, each counted as the KiB of the text that asked for it.
  private static let mostUnderWay = 512

  let limits: JSONLimits
  private let link: LinkNumber
  private(set) var pass: RemonPass?
  /// True while the token of the first frame is being looked at.
  private var isPresenting = false
  private var waiting: [RemonFrame] = []
  var wish: Wish?
  var stay: RemonStay?
  /// A musician's offer, and its candidates, that wait until the presence has become one.
  var early: (offer: String?, candidates: [CandidateMessage])?
  /// Whom the presence knew when it became a musician.
  var known: [RoomSnapshot.Member]?
  var awaited: [OperationNumber: Purpose] = [:]
  var outputs = OutputQueue<Output>()
  private(set) var time: MonotonicTime
  private var isEnded = false
  private var nextPing: MonotonicTime?
  private var lastOperation = OperationNumber(0)
  private var nextLabel: UInt64 = 0
  private var costs: [OperationNumber: Int] = [:]
  private var underWay = 0
  /// KiB of the text that is being read.
  private var cost = 1
  /// KiB that may be passed on to the other client of a direct call.
  private var allowance = RateLimit(perSecond: 64, burst: 512)

  /// A machine for the socket `link`, opened at `now`.
  package init(on link: LinkNumber, limits: JSONLimits = .signaling, at now: MonotonicTime) {
    self.link = link
    self.limits = limits
    time = now
    nextPing = now + RemonServer.pingInterval
  }

  package var deadline: MonotonicTime? { isEnded ? nil : nextPing }

  package mutating func next() -> Output? { outputs.next() }

  package mutating func advance(to now: MonotonicTime) {
    time = now
    guard !isEnded, let due = nextPing, due <= now else { return }
    nextPing = now + RemonServer.pingInterval
    if pass != nil { tell(RemonFrame("ping")) }
  }

  package mutating func handle(_ input: Input, at now: MonotonicTime) {
    guard !isEnded else { return }
    time = now
    switch input {
    case .text(let text, _): receive(text)
    case .unreadable(let sentence, _): complain(RemonFault(.general, sentence))
    case .linkLost: nextPing = nil
    case .joined(let operation, let seating):
      settle(operation)
      guard case .join? = awaited.removeValue(forKey: operation) else { return }
      joined(seating)
    case .replied(let operation, let reply):
      settle(operation)
      if let purpose = awaited.removeValue(forKey: operation) { replied(purpose, reply) }
    case .refused(let operation, let refusal):
      settle(operation)
      if let purpose = awaited.removeValue(forKey: operation) { refused(purpose, refusal) }
    case .resumed(_, _, let snapshot): resumed(snapshot)
    case .unknownSession:
      complain(RemonFault(.unknownToken, "the former session is over; begin with a new token"), about: "reconnect")
    case .event(.room(let event)): receive(event)
    case .event(.relayed(let frame, let sender)):
      if stay?.isDirect(sender) == true { tell(frame) }
    }
  }

  // MARK: Frames

  private mutating func receive(_ text: String) {
    guard underWay < RemonServer.mostUnderWay else { return end(code: 1008, reason: "too many messages wait") }
    // in range: fewer than the bytes of a text
    cost = text.utf8.count / 1_024 &+ 1
    defer { cost = 1 }
    do throws(RemonFault) {
      try receive(try RemonFrame(parsing: text, limits: limits))
    } catch {
      complain(error)
    }
  }

  private mutating func receive(_ frame: RemonFrame) throws(RemonFault) {
    if let pass {
      guard frame.token == nil || frame.token == pass.token else {
        throw RemonFault(.unknownToken, "the token is another client's; this socket belongs to the first one it showed")
      }
      guard frame.serviceID == nil || frame.serviceID == pass.serviceID else {
        throw RemonFault(.unknownToken, "the serviceId is not that of the token")
      }
      return carryOut(frame)
    }
    if ["pong", "ack"].contains(frame.command) { return }
    guard let token = frame.token, !token.isEmpty else {
      throw RemonFault(.unknownToken, "the first frame has to show the token of POST /rest/init")
    }
    if isPresenting {
      guard waiting.count < RemonServer.mostWaiting else { throw RemonFault(.general, "too many frames at once") }
      return waiting.append(frame)
    }
    isPresenting = true
    ask(.present(token: token, serviceID: frame.serviceID), for: .present(frame))
  }

  /// Carries out a frame of the bound token; what is wrong with it is answered in its form.
  private mutating func carryOut(_ frame: RemonFrame) {
    do throws(RemonFault) {
      try obey(frame)
    } catch {
      complain(error, about: frame.command, frame.channel)
    }
  }

  /// The token was looked at.
  mutating func bound(_ pass: RemonPass, by frame: RemonFrame) {
    isPresenting = false
    self.pass = pass
    if nextPing == nil { nextPing = time + RemonServer.pingInterval }
    if frame.command == "reconnect" {
      tell(RemonFrame("onReconnect", body: "true"))
    } else {
      carryOut(frame)
    }
    release()
  }

  /// The token has a session: this socket becomes its.
  mutating func isOfFormer(_ session: String, _ frame: RemonFrame) {
    isPresenting = false
    guard frame.command == "reconnect" else {
      let sentence = "the token has a socket already; a new socket continues it with \"reconnect\""
      complain(RemonFault(.unknownToken, sentence), about: frame.command, frame.channel)
      return release()
    }
    waiting = []
    outputs.append(.resume(sessionID: session, RemonReturn(), on: link))
  }

  mutating func isUnbound(_ fault: RemonFault, _ frame: RemonFrame) {
    isPresenting = false
    complain(fault, about: frame.command, frame.channel)
    release()
  }

  private mutating func release() {
    let frames = waiting
    waiting = []
    for frame in frames {
      do throws(RemonFault) {
        try receive(frame)
      } catch {
        complain(error, about: frame.command, frame.channel)
      }
    }
  }

  // MARK: Outputs

  /// Sends a frame with the client's own token.
  mutating func tell(_ frame: RemonFrame) {
    var frame = frame
    (frame.token, frame.serviceID) = (pass?.token, pass?.serviceID)
    outputs.append(.notify(frame.text))
  }

  /// Says what is wrong, in the frame in which the client waits for an answer.
  mutating func complain(_ fault: RemonFault, about command: String? = nil, _ channel: RemonChannel? = nil) {
    let name =
      switch command {
      case "create": "onCreate"
      case "reconnect": "onReconnect"
      default: "onError"
      }
    tell(RemonFrame(name, channel: channel, body: fault.sentence, code: fault.code.rawValue))
  }

  mutating func end(code: UInt16, reason: String) {
    isEnded = true
    outputs.append(.end(code: code, reason: reason))
  }

  mutating func enter(_ entry: RemonEntry) {
    let operation = newOperation()
    awaited[operation] = .join
    outputs.append(.join(operation, entry))
  }

  mutating func ask(_ command: RemonCommand, for purpose: Purpose? = nil) {
    let operation = newOperation()
    awaited[operation] = purpose
    outputs.append(.perform(operation, command))
  }

  mutating func newLabel() -> PeerLabel? {
    nextLabel &+= 1
    return PeerLabel("remon-\(nextLabel)")
  }

  /// Counts the text that is being read as passed on.
  mutating func mayPassOn() -> Bool {
    for _ in 0..<cost where !allowance.admit(at: time) { return false }
    return true
  }

  private mutating func newOperation() -> OperationNumber {
    lastOperation = lastOperation.next
    costs[lastOperation] = cost
    // in range: a text has fewer bytes than memory, and `mostUnderWay` ends the session
    underWay &+= cost
    return lastOperation
  }

  private mutating func settle(_ operation: OperationNumber) {
    // in range: what was added
    underWay &-= costs.removeValue(forKey: operation) ?? 0
  }

  mutating func isBack() { nextPing = time + RemonServer.pingInterval }
}
