import Machines
import Recording
import Rooms
import Signaling

/// How long a session without links waits for its client.
struct ConversationPatience: Sendable {
  /// After the loss of its WebSocket; its seat may ask for more.
  var afterLoss: MonotonicTime.Span
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
/// offer), and delay no events. The machine bounds the queue.
actor Conversation<Speaker: Dialect & ~Copyable, Place: Seat>: SignalingSession where Place.Words == Speaker.Words {
  typealias Words = Speaker.Words

  private enum Wish: Sendable {
    case join(Words.Ticket, Words.Entry)
    case perform(Words.Ticket, Words.Command)
    /// A link of this session asks to continue another session.
    case handOver(LinkNumber, to: String, Words.Reconnection)
    /// A new link asks to continue this session.
    case takeBack(Words.Reconnection, LinkNumber)
  }

  nonisolated let id: String
  private let seat: Place
  private let patience: ConversationPatience
  private let registry: SessionRegistry<Conversation>
  private var machine: Speaker
  private var outlets = SessionOutlets()
  /// The time of losing the last link.
  private var unreachableSince: MonotonicTime?
  private var isOver = false
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
    seat.link.move(to: outlet.origin)
    let former = outlets.add(outlet)
    unreachableSince = nil
    proveLinks()
    if let former { handle(.linkLost(former)) }
  }

  func receive(_ text: String, from link: LinkNumber) { handle(.text(text, from: link)) }

  func unreadable(_ sentence: String, from link: LinkNumber) { handle(.unreadable(sentence, from: link)) }

  func linkLost(_ link: LinkNumber) {
    // A link that was moved or replaced is not a loss.
    guard outlets.remove(link) != nil else { return }
    handle(.linkLost(link))
    becomeUnreachable()
  }

  private func becomeUnreachable() {
    guard outlets.isEmpty else { return }
    unreachableSince = MonotonicClock.now
    if outlets.hadLasting, !isOver { seat.park(for: self) }
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
      case .notify(let text): outlets.notify(text)
      case .close(let link, let code, let reason): outlets.close(link, LinkClosing(code: code, reason: reason))
      case .end(let code, let reason): end(LinkClosing(code: code, reason: reason))
      }
    }
  }

  private func end(_ closing: LinkClosing) {
    isOver = true
    outlets.closeAll(closing)
    queue.finish()
  }

  // MARK: Work

  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.tick() }
      if let stay = seat.standing { group.addTask { await self.follow(stay) } }
      for await wish in wishes {
        if let stay = await carryOut(wish) { group.addTask { await self.follow(stay) } }
      }
      group.cancelAll()
    }
    await seat.finish(for: self)
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
    }
    return nil
  }

  private func join(_ ticket: Words.Ticket, _ entry: Words.Entry) async -> Place.Stay? {
    do throws(Words.Refusal) {
      let (welcome, stay) = try await seat.enter(entry, for: self)
      handle(.joined(ticket, welcome))
      // The link may have been lost while joining the room.
      if unreachableSince != nil, outlets.hadLasting { seat.park(for: self) }
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
      handle(.resumed(request, on: link, scene))
      return stay
    } catch {
      handle(.unknownSession(request, on: link))
      end(LinkClosing(code: 1000, reason: "the session is over"))
      return nil
    }
  }

  private func follow(_ stay: Place.Stay) async {
    await seat.follow(stay) { await self.handle(.event($0)) }
  }

  private func tick() async {
    while (try? await Task.sleep(for: .nanoseconds(patience.tick.nanoseconds))) != nil, !isOver {
      let now = MonotonicClock.now
      machine.advance(to: now)
      drain()
      guard let since = unreachableSince else { continue }
      var limit = outlets.hadLasting ? max(patience.afterLoss, seat.gracePeriod) : patience.betweenRequests
      if seat.proof == nil { limit = min(limit, patience.withoutProof) }
      if now - since >= limit { end(LinkClosing(code: 1000, reason: "nobody came back")) }
    }
  }
}

/// The subject of a conversation: a seat in a room, or a session's share of Kurento's trees.
///
/// One object per conversation; its calls come one after the other, except `park` and `supersede`.
protocol Seat<Words>: AnyObject, Sendable {
  associatedtype Words: Vocabulary
  /// A period during which events arrive.
  associatedtype Stay: Sendable

  /// What the session's links show.
  var link: LinkBearer { get }
  /// The stay that exists without joining.
  var standing: Stay? { get }
  /// What the client has proved; nil before that.
  var proof: Credential? { get }
  /// How long the seat waits for its client to return.
  var gracePeriod: MonotonicTime.Span { get }
  /// False if the session holds nothing worth keeping.
  var isTaken: Bool { get }

  func enter(
    _ entry: Words.Entry, for session: any SignalingSession
  ) async throws(Words.Refusal) -> (Words.Welcome, Stay)
  func perform(_ command: Words.Command) async throws(Words.Refusal) -> Words.Reply
  /// Forwards events until the stay is over.
  func follow(_ stay: Stay, _ tell: @Sendable (Words.Event) async -> Void) async
  /// Parks the seat in the room's care while the client has no link.
  func park(for session: any SignalingSession)
  /// Resumes after the client has returned; gives the missed events, and a new stay if the seat had been parked.
  /// - Throws: the reason why the seat is lost.
  func takeBack(for session: any SignalingSession) async throws(Words.Refusal) -> (Words.Scene?, Stay?)
  /// Gives up the seat after a takeover by another session.
  func supersede()
  /// Ends the seat with the session.
  func finish(for session: any SignalingSession) async
}
