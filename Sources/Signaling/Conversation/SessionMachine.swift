import Machines

/// One session of any dialect: the dialect's machine, and the rules that all sessions share.
///
/// The rules: which link a text goes to, what becomes of a lost one, how long a session waits for its client, which events
/// a returning client must not miss, and how a link passes from one session to another. A `Conversation` carries out what
/// comes out, and sleeps until `deadline`.
package struct SessionMachine<Speaker: Dialect & ~Copyable>: ~Copyable, Machine {
  package typealias Words = Speaker.Words
  package typealias Input = SessionInput<Words>
  package typealias Output = SessionOutput<Words>

  private var speaker: Speaker
  private var seat = SeatFacts()
  private var links = SessionLinks()
  private var letters = SessionLetters()
  /// The number of the last event of the present stay.
  private var heard: UInt64 = 0
  /// The letter that is being told.
  private var letter: LetterNumber?
  /// True once the dialect has put that letter into a text.
  private var isInWords = false
  /// True until the first link.
  private var isNew = true
  /// The time of losing the last link.
  private var unreachableSince: MonotonicTime?
  /// True if the last link was closed by the client itself.
  private var isLeaving = false
  /// Joins whose outcome is open.
  private var entries = 0
  /// Stays in rooms that have begun and whose events are not all told.
  private var stays = 0
  package private(set) var isOver = false
  private var outputs = OutputQueue<Output>()

  /// A session without links, which began at `now`.
  package init(_ speaker: consuming Speaker, at now: MonotonicTime) {
    self.speaker = speaker
    unreachableSince = now
  }

  /// True while the client has not been told everything that its room said.
  package var isInRoom: Bool { stays > 0 && !isOver }

  /// True while the letter may still have to be told again.
  package func isUnwritten(_ letter: LetterNumber) -> Bool { letters.contains(letter) }

  package mutating func next() -> Output? { outputs.next() }

  // MARK: Time

  package var deadline: MonotonicTime? {
    isOver ? nil : [speaker.deadline, endOfPatience].compactMap { $0 }.min()
  }

  /// When the session ends because nobody came back. A join that is under way may still bring a seat that waits longer.
  private var endOfPatience: MonotonicTime? {
    guard let unreachableSince, entries == 0 else { return nil }
    return unreachableSince
      + Speaker.patience.limit(hadLasting: links.hadLasting, isNew: isNew, isLeaving: isLeaving, seat)
  }

  package mutating func advance(to now: MonotonicTime) {
    guard !isOver else { return }
    speaker.advance(to: now)
    pass()
    if !isOver, let endOfPatience, endOfPatience <= now { end(code: 1000, reason: "nobody came back") }
  }

  // MARK: Inputs

  package mutating func handle(_ input: Input, at now: MonotonicTime) {
    switch input {
    case .attached(let link, let isLasting): attach(link, isLasting: isLasting, at: now)
    case .returned(let link, let isLasting, let request):
      attach(link, isLasting: isLasting, at: now)
      order(.takeBack(request, on: link))
    case .text(let text, let link): feed(.text(text, from: link), at: now)
    case .unreadable(let sentence, let link): feed(.unreadable(sentence, from: link), at: now)
    case .lost(let link, let isLeaving): lose(link, isLeaving: isLeaving, at: now)
    case .joined(let ticket, let welcome):
      entries -= 1
      beginStay()
      feed(.joined(ticket, welcome), at: now)
    case .notJoined(let ticket, let refusal):
      entries -= 1
      feed(.refused(ticket, refusal), at: now)
    case .replied(let ticket, let reply): feed(.replied(ticket, reply), at: now)
    case .refused(let ticket, let refusal): feed(.refused(ticket, refusal), at: now)
    case .handedOver(let link): handedOver(link, at: now)
    case .unknownSession(let request, let link): feed(.unknownSession(request, on: link), at: now)
    case .tookBack(let request, let link, let scene, let beginsStay):
      if beginsStay { beginStay() }
      feed(.resumed(request, on: link, scene), at: now)
    case .seatIsLost(let request, let link):
      feed(.unknownSession(request, on: link), at: now)
      end(code: 1000, reason: "the session is over")
    case .event(let event, let number): tell(event, number, at: now)
    case .stayIsOver:
      stays -= 1
      if stays == 0, !isOver { outputs.append(.roomIsOver) }
    case .superseded: end(code: 1000, reason: "the musician came back")
    case .seat(let facts): seat = facts
    case .written(let letter): letters.remove(letter)
    }
  }

  // MARK: Links

  private mutating func attach(_ link: LinkNumber, isLasting: Bool, at now: MonotonicTime) {
    // It ended while a client was on the way back to it: nothing would ever be said on this link.
    guard !isOver else { return outputs.append(.close(link, code: 1000, reason: "the session is over")) }
    let former = links.add(link, isLasting: isLasting)
    unreachableSince = nil
    (isNew, isLeaving) = (false, false)
    if let former {
      outputs.append(.close(former, code: 1000, reason: "the session continues on another connection"))
      feed(.linkLost(former), at: now)
    }
    // Some dialects speak first.
    pass()
  }

  private mutating func lose(_ link: LinkNumber, isLeaving: Bool, at now: MonotonicTime) {
    guard links.remove(link) else { return }
    self.isLeaving = isLeaving
    feed(.linkLost(link), at: now)
    becomeUnreachable(at: now)
  }

  private mutating func becomeUnreachable(at now: MonotonicTime) {
    guard links.isEmpty else { return }
    unreachableSince = now
    order(.park)
  }

  private mutating func handedOver(_ link: LinkNumber, at now: MonotonicTime) {
    guard links.remove(link) else { return }
    feed(.linkLost(link), at: now)
    guard links.isEmpty else { return }
    if seat.isTaken { becomeUnreachable(at: now) } else { end(code: 1000, reason: "") }
  }

  /// What the seat is left with in the room's care; nil if the client has a link by now, or never had a lasting one.
  package mutating func parting() -> SessionParting? {
    links.isEmpty && links.hadLasting ? farewell() : nil
  }

  /// What the seat is left with at the end of the session.
  package mutating func farewell() -> SessionParting {
    SessionParting(isLeaving: isLeaving, unread: letters.take(), heard: heard)
  }

  private mutating func beginStay() {
    stays += 1
    heard = 0
    // Those of another stay have other numbers.
    _ = letters.take()
  }

  // MARK: The dialect

  private mutating func tell(_ event: Words.Event, _ number: UInt64?, at now: MonotonicTime) {
    guard !isOver, let number else { return feed(.event(event), at: now) }
    heard = number
    guard Words.mustArrive(event) else { return feed(.event(event), at: now) }
    let letter = letters.add(number)
    (self.letter, isInWords) = (letter, false)
    feed(.event(event), at: now)
    self.letter = nil
    // The dialect has no words for it: it would be told again after every loss.
    if links.lasting != nil, !isInWords { letters.remove(letter) }
  }

  private mutating func feed(_ input: Speaker.Input, at now: MonotonicTime) {
    guard !isOver else { return }
    speaker.handle(input, at: now)
    pass()
  }

  /// Passes on what the dialect wants.
  private mutating func pass() {
    while !isOver, let output = speaker.next() {
      switch output {
      case .join(let ticket, let entry):
        entries += 1
        order(.join(ticket, entry))
      case .perform(let ticket, let command): order(.perform(ticket, command))
      case .resume(let session, let request, let link): order(.handOver(link, to: session, request))
      case .answer(let text, let link):
        if let way = links.way(to: link) { outputs.append(.send(text, to: way, nil)) }
      case .notify(let text):
        isInWords = true
        if let lasting = links.lasting { outputs.append(.send(text, to: lasting, letter)) }
      case .close(let link, let code, let reason):
        if links.contains(link) { outputs.append(.close(link, code: code, reason: reason)) }
      case .end(let code, let reason): end(code: code, reason: reason)
      }
    }
  }

  private mutating func order(_ order: SessionOrder<Words>) {
    if !isOver { outputs.append(.order(order)) }
  }

  private mutating func end(code: UInt16, reason: String) {
    guard !isOver else { return }
    isOver = true
    outputs.append(.end(code: code, reason: reason))
  }
}
