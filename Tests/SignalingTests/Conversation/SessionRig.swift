import Machines
import Music

@testable import Signaling

/// How the sessions of one dialect begin and go on, for tests of the rules that all dialects share.
struct DialectSample<Speaker: Dialect & ~Copyable> {
  typealias Words = Speaker.Words

  /// The machine of a new client, and what that client says to get its seat.
  var newcomer: (LinkNumber) -> Speaker
  var entrance: [String]
  /// The same of a client that comes back to the session `SessionRig.first` on another link.
  var returner: (LinkNumber) -> Speaker
  var wayBack: [String] = []
  /// The request of a client whose door finds the session by itself.
  var directReturn: Words.Reconnection?
  var welcome: (Words.Entry) -> Words.Welcome
  /// Also to commands of the returning client, whose links have other numbers.
  var reply: (Words.Command, _ isReturning: Bool) -> Words.Reply
  var refusal: Words.Refusal
  /// What is true of a session before its client has done anything, and once it has its seat.
  var before = SeatFacts()
  var seated = SeatFacts(isTaken: true, isProven: true, gracePeriod: .seconds(30))
  /// A message of another musician.
  var message: Words.Event?
}

/// What the tests of the rules do with a session of any dialect.
protocol RiggedSession: AnyObject {
  var facts: SeatFacts { get set }
  /// True if the seat is not there any more when the client comes back.
  var isGivenUp: Bool { get set }
  var deadline: MonotonicTime? { get }
  var now: MonotonicTime { get }
  var isInRoom: Bool { get }
  /// How the session has ended.
  var ending: String? { get }
  /// Why links were closed.
  var closed: [LinkNumber: String] { get }
  var heard: [LinkNumber: [String]] { get }
  /// How often the seat was left in the room's care, and the messages that it was left with.
  var partings: Int { get }
  var unread: Int { get }
  var isParked: Bool { get }
  var roomsOver: Int { get }
  /// Orders that wait for their turn, by their names.
  var waiting: [String] { get }

  func attach(_ link: LinkNumber, isLasting: Bool)
  func lose(_ link: LinkNumber, isLeaving: Bool)
  /// What a client says that wants its seat, or its former session.
  func introduce(on link: LinkNumber)
  /// Carries all waiting orders out, one after the other.
  func work()
  func refuseJoin()
  func advance(by span: MonotonicTime.Span)
  /// Another musician writes; false if the dialect's messages need not arrive by the session's letters.
  func hearMessage() -> Bool
  func writeLetters()
  func supersede()
  func leaveRoom()
  func finish()
}

/// A session of any dialect in virtual time, with a seat that does what it is asked, in turn.
final class SessionRig<Speaker: Dialect & ~Copyable>: RiggedSession {
  typealias Words = Speaker.Words

  static var first: String { "first" }

  var facts: SeatFacts
  var isGivenUp = false
  private(set) var now = KurentoSample.start
  private(set) var ending: String?
  private(set) var closed: [LinkNumber: String] = [:]
  private(set) var heard: [LinkNumber: [String]] = [:]
  private(set) var partings = 0
  private(set) var unread = 0
  private(set) var isParked = false
  private(set) var roomsOver = 0
  private var machine: SessionMachine<Speaker>
  private var orders: [SessionOrder<Words>] = []
  private var letters: Set<LetterNumber> = []
  private var messages: UInt64 = 0
  private let sample: DialectSample<Speaker>
  /// The session that this one's client wants to go on with.
  private let former: SessionRig?

  /// A client on `link`, which comes back to `former` if there is one.
  init(_ sample: DialectSample<Speaker>, on link: LinkNumber, former: SessionRig? = nil) {
    self.sample = sample
    self.former = former
    facts = sample.before
    let speaker = former == nil ? sample.newcomer(link) : sample.returner(link)
    machine = SessionMachine(speaker, at: now)
  }

  var deadline: MonotonicTime? { machine.deadline }
  var isInRoom: Bool { machine.isInRoom }

  var waiting: [String] {
    orders.map { order in
      switch order {
      case .join: "join"
      case .perform: "perform"
      case .handOver: "handOver"
      case .takeBack: "takeBack"
      case .park: "park"
      }
    }
  }

  // MARK: Links

  func attach(_ link: LinkNumber, isLasting: Bool) { handle(.attached(link, isLasting: isLasting)) }

  func lose(_ link: LinkNumber, isLeaving: Bool) { handle(.lost(link, isLeaving: isLeaving)) }

  func introduce(on link: LinkNumber) {
    if let former, let request = sample.directReturn {
      _ = former.resume(link, answering: request)
    } else {
      for text in former == nil ? sample.entrance : sample.wayBack { handle(.text(text, from: link)) }
    }
  }

  private func resume(_ link: LinkNumber, answering request: Words.Reconnection) -> Bool {
    guard ending == nil else { return false }
    handle(.returned(link, isLasting: true, request))
    return true
  }

  // MARK: The machine

  private func handle(_ input: SessionInput<Words>) {
    machine.handle(.seat(facts), at: now)
    machine.handle(input, at: now)
    drain()
  }

  private func drain() {
    while let output = machine.next() {
      switch output {
      case .order(let order): orders.append(order)
      case .send(let text, let link, let letter):
        heard[link, default: []].append(text)
        if let letter { letters.insert(letter) }
      case .close(let link, _, let reason): closed[link] = reason
      case .roomIsOver: roomsOver += 1
      case .end(_, let reason): ending = reason
      }
    }
  }

  func advance(by span: MonotonicTime.Span) {
    now = now + span
    machine.handle(.seat(facts), at: now)
    machine.advance(to: now)
    drain()
  }

  func supersede() { handle(.superseded) }

  func leaveRoom() { handle(.stayIsOver) }

  func hearMessage() -> Bool {
    guard let message = sample.message else { return false }
    messages += 1
    handle(.event(message, number: messages))
    return true
  }

  func writeLetters() {
    for letter in letters { handle(.written(letter)) }
    letters = []
  }

  // MARK: The seat

  func work() {
    while !orders.isEmpty { carryOut(orders.removeFirst()) }
  }

  func refuseJoin() {
    guard case .join(let ticket, _)? = orders.first else { return }
    orders.removeFirst()
    handle(.notJoined(ticket, sample.refusal))
  }

  private func carryOut(_ order: SessionOrder<Words>) {
    switch order {
    case .join(let ticket, let entry):
      facts = sample.seated
      handle(.joined(ticket, sample.welcome(entry)))
      park()
    case .perform(let ticket, let command):
      // A tree's seat is proven by its first command.
      if facts.isTaken { facts = sample.seated }
      handle(.replied(ticket, sample.reply(command, former != nil)))
    case .handOver(let link, let session, let request):
      guard session == SessionRig.first, let former, former.resume(link, answering: request) else {
        return handle(.unknownSession(request, on: link))
      }
      handle(.handedOver(link))
    case .takeBack(let request, let link):
      if isGivenUp { return handle(.seatIsLost(request, on: link)) }
      let beginsStay = isParked
      isParked = false
      handle(.tookBack(request, on: link, nil, beginsStay: beginsStay))
    case .park: park()
    }
  }

  private func park() {
    guard let parting = machine.parting() else { return }
    partings += 1
    isParked = true
    unread += parting.unread.count
  }

  func finish() { unread += machine.farewell().unread.count }
}
