import Machines
import Recording
import Rooms
import Signaling

/// How long a session without links waits for its client.
struct ConversationPatience: Sendable {
  /// After the loss of its WebSocket; its seat may ask for more.
  var afterLoss: MonotonicTime.Span
  /// After its client has closed its WebSocket itself: as long as the room keeps the seat.
  var afterGoodbye = MonotonicTime.Span.milliseconds(1_500)
  /// Between the requests of a client that uses POST only.
  var betweenRequests: MonotonicTime.Span
  /// Interval of checking the time.
  var tick = MonotonicTime.Span.milliseconds(500)
  /// Of a client that has not shown a valid key or token, which would otherwise hold sessions for nothing.
  var withoutProof = MonotonicTime.Span.seconds(5)

  /// Patience of dialects whose sessions end with their links.
  static let none = ConversationPatience(afterLoss: .zero, betweenRequests: .seconds(10))
}

/// One session of any dialect: the machine, the seat, and the changing links.
///
/// The machine's operations run one after the other, in the order of the client's requests (a candidate after its
/// offer), and delay no events; slow ones run beside them. The machine bounds the queue.
actor Conversation<Speaker: Dialect & ~Copyable, Place: Seat>: SignalingSession where Place.Words == Speaker.Words {
  typealias Words = Speaker.Words

  private enum Wish: Sendable {
    case join(Words.Ticket, Words.Entry)
    case perform(Words.Ticket, Words.Command)
    /// A link of this session asks to continue another session.
    case handOver(LinkNumber, to: String, Words.Reconnection)
    /// A new link asks to continue this session.
    case takeBack(Words.Reconnection, LinkNumber)
    /// The last link was lost. In the line with everything else: a client that is back at once must not find its seat
    /// taken back first and parked afterwards.
    case park
  }

  /// An event that the client has to learn, and whether its text was written.
  private struct Letter {
    var event: Words.Event
    var receipt: TextReceipt
  }

  /// Most letters that are remembered while their texts wait; as many as a room keeps for a member without a link.
  private static var mostLetters: Int { 64 }

  nonisolated let id: String
  private let seat: Place
  private let patience: ConversationPatience
  private let registry: SessionRegistry<Conversation>
  private var machine: Speaker
  private var outlets = SessionOutlets()
  /// The time of losing the last link.
  private var unreachableSince: MonotonicTime?
  /// True if the last link was closed by the client itself.
  private var isLeaving = false
  private var isOver = false
  /// Stays in rooms that have begun and whose events are not all told.
  private var stays = 0
  private var awaitingEnd: [@Sendable () -> Void] = []
  private var letters: [Letter] = []
  /// Of the event that is being told.
  private var receipt: TextReceipt?
  /// True once the machine has put that event into a text.
  private var isInWords = false
  private nonisolated let wishes: AsyncStream<Wish>
  private nonisolated let queue: AsyncStream<Wish>.Continuation

  init(
    id: String, _ machine: consuming Speaker, _ seat: Place, patience: ConversationPatience,
    in registry: SessionRegistry<Conversation>
  ) {
    self.id = id
    self.machine = machine
    self.seat = seat
    self.patience = patience
    self.registry = registry
    unreachableSince = MonotonicClock.now
    (wishes, queue) = AsyncStream.makeStream()
  }

  // MARK: Links

  func attach(_ outlet: any SessionOutlet) {
    // It ended while a client was on the way back to it: nothing would ever be said on this link.
    guard !isOver else { return outlet.close(LinkClosing(code: 1000, reason: "the session is over")) }
    seat.link.move(to: outlet.origin)
    let former = outlets.add(outlet)
    unreachableSince = nil
    isLeaving = false
    proveLinks()
    if let former { handle(.linkLost(former)) }
    // Some dialects speak first.
    drain()
  }

  func receive(_ text: String, from link: LinkNumber) { handle(.text(text, from: link)) }

  func unreadable(_ sentence: String, from link: LinkNumber) { handle(.unreadable(sentence, from: link)) }

  func linkLost(_ link: LinkNumber, isLeaving: Bool) {
    // A link that was moved or replaced is not a loss.
    guard outlets.remove(link) != nil else { return }
    self.isLeaving = isLeaving
    handle(.linkLost(link))
    becomeUnreachable()
  }

  func afterRoom(_ act: @escaping @Sendable () -> Void) {
    guard stays > 0, !isOver else { return act() }
    awaitingEnd.append(act)
  }

  private func roomIsOver() {
    for act in awaitingEnd { act() }
    awaitingEnd = []
  }

  private func becomeUnreachable() {
    guard outlets.isEmpty else { return }
    unreachableSince = MonotonicClock.now
    if !isOver { queue.yield(.park) }
  }

  /// Leaves the seat in the room's care, unless the client has another link by now.
  private func park() async {
    guard outlets.isEmpty, outlets.hadLasting else { return }
    await seat.park(for: self, isLeaving: isLeaving, unread: takeUnread())
  }

  /// Continues over a link from another session, and responds to its request.
  func resume(_ outlet: any SessionOutlet, answering request: Words.Reconnection) {
    outlet.move(to: self)
    attach(outlet)
    queue.yield(.takeBack(request, outlet.number))
  }

  /// What the client has proved counts for all its links: the session's identifier is as secret as a token.
  private func proveLinks() {
    if let proof = seat.proof { outlets.prove(as: proof) }
  }

  func supersede() {
    seat.supersede()
    end(LinkClosing(code: 1000, reason: "the musician came back"))
  }

  // MARK: The machine

  private func handle(_ input: Speaker.Input) {
    guard !isOver else { return }
    machine.handle(input, at: MonotonicClock.now)
    drain()
  }

  private func drain() {
    while !isOver, let output = machine.next() {
      switch output {
      case .join(let ticket, let entry): queue.yield(.join(ticket, entry))
      case .perform(let ticket, let command): queue.yield(.perform(ticket, command))
      case .resume(let session, let request, let link): queue.yield(.handOver(link, to: session, request))
      case .answer(let text, let link): outlets.answer(text, to: link)
      case .notify(let text):
        outlets.notify(text, receipt)
        isInWords = true
      case .close(let link, let code, let reason): outlets.close(link, LinkClosing(code: code, reason: reason))
      case .end(let code, let reason): end(LinkClosing(code: code, reason: reason))
      }
    }
  }

  private func end(_ closing: LinkClosing) {
    isOver = true
    outlets.closeAll(closing)
    roomIsOver()
    queue.finish()
  }

  // MARK: Work

  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.tick() }
      if let stay = seat.standing { group.addTask { await self.follow(standing: stay) } }
      for await wish in wishes {
        if case .perform(_, let command) = wish, seat.isSlow(command) {
          group.addTask { _ = await self.carryOut(wish) }
          continue
        }
        if let stay = await carryOut(wish) { group.addTask { await self.follow(stay) } }
      }
      group.cancelAll()
    }
    await seat.finish(for: self, isLeaving: isLeaving, unread: takeUnread())
  }

  /// Performs an operation of the machine; follows a new stay.
  private func carryOut(_ wish: Wish) async -> Place.Stay? {
    // The link of the request may have been replaced since.
    defer { proveLinks() }
    switch wish {
    case .join(let ticket, let entry): return await join(ticket, entry)
    case .perform(let ticket, let command):
      do throws(Words.Refusal) {
        handle(.replied(ticket, try await seat.perform(command)))
      } catch {
        handle(.refused(ticket, error))
      }
    case .handOver(let link, let session, let request): await handOver(link, to: session, request)
    case .takeBack(let request, let link): return await takeBack(request, link)
    case .park: await park()
    }
    return nil
  }

  private func join(_ ticket: Words.Ticket, _ entry: Words.Entry) async -> Place.Stay? {
    do throws(Words.Refusal) {
      let (welcome, stay) = try await seat.enter(entry, for: self)
      stays += 1
      handle(.joined(ticket, welcome))
      // The link may have been lost before.
      await park()
      return stay
    } catch {
      handle(.refused(ticket, error))
      return nil
    }
  }

  private func handOver(_ link: LinkNumber, to session: String, _ request: Words.Reconnection) async {
    guard let other = registry.find(session), other !== self, let outlet = outlets.remove(link) else {
      return handle(.unknownSession(request, on: link))
    }
    handle(.linkLost(link))
    await other.resume(outlet, answering: request)
    guard outlets.isEmpty else { return }
    if seat.isTaken { becomeUnreachable() } else { end(LinkClosing(code: 1000, reason: "")) }
  }

  private func takeBack(_ request: Words.Reconnection, _ link: LinkNumber) async -> Place.Stay? {
    do throws(Words.Refusal) {
      let (scene, stay) = try await seat.takeBack(for: self)
      if stay != nil { stays += 1 }
      handle(.resumed(request, on: link, scene))
      return stay
    } catch {
      handle(.unknownSession(request, on: link))
      end(LinkClosing(code: 1000, reason: "the session is over"))
      return nil
    }
  }

  /// Follows a stay that `join` or `takeBack` began.
  private func follow(_ stay: Place.Stay) async {
    await follow(standing: stay)
    stays -= 1
    if stays == 0 { roomIsOver() }
  }

  private func follow(standing stay: Place.Stay) async {
    await seat.follow(stay) { await self.tell($0) }
  }

  private func tell(_ event: Words.Event) {
    guard seat.mustArrive(event) else { return handle(.event(event)) }
    letters.removeAll { $0.receipt.isSigned }
    if letters.count == Conversation.mostLetters { letters.removeFirst() }
    let letter = Letter(event: event, receipt: TextReceipt())
    letters.append(letter)
    (receipt, isInWords) = (letter.receipt, false)
    handle(.event(event))
    receipt = nil
    // The dialect has no words for it: it would be told again after every loss.
    if outlets.isReachable, !isInWords { letters.removeLast() }
  }

  /// What was not written to the lost link.
  private func takeUnread() -> [Words.Event] {
    defer { letters = [] }
    return letters.filter { !$0.receipt.isSigned }.map(\.event)
  }

  private func tick() async {
    while (try? await Task.sleep(for: .nanoseconds(patience.tick.nanoseconds))) != nil, !isOver {
      let now = MonotonicClock.now
      machine.advance(to: now)
      drain()
      guard let since = unreachableSince else { continue }
      var limit = outlets.hadLasting ? max(patience.afterLoss, seat.gracePeriod) : patience.betweenRequests
      if isLeaving { limit = min(limit, patience.afterGoodbye) }
      if seat.proof == nil { limit = min(limit, patience.withoutProof) }
      if now - since >= limit { end(LinkClosing(code: 1000, reason: "nobody came back")) }
    }
  }
}
