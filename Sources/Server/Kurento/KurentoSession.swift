import Machines
import Music
import Rooms
import Signaling

/// One Kurento Room session: the machine, the seat in a room, and the links that come and go.
///
/// Without a link the seat stays in the room's care for the grace period; `connect` on a new link, or a join under the
/// same name, goes on with it.
actor KurentoSession: SignalingSession {
  /// A seat and how it was asked for.
  private struct Seat {
    var membership: Membership
    var request: JoinRequest
    var room: RoomName
    var gracePeriod: MonotonicTime.Span
    /// In the room's care, because the session has no link: what the room says to the old one concerns nobody.
    var isParked = false
  }

  private enum Wish: Sendable {
    case join(OperationNumber, RoomName, JoinRequest, token: String?)
    case perform(OperationNumber, RoomCommand)
    /// A link of this session wants to go on with another session.
    case handOver(LinkNumber, to: String, JSONRPCID)
    /// A new link wants to go on with this session.
    case resume(JSONRPCID, LinkNumber)
  }

  nonisolated let id: String
  private let services: KurentoServices
  /// The token of the link, for clients that put none into their join.
  private let token: String?
  private var machine: KurentoServer
  private var outlets = SessionOutlets()
  private var seat: Seat?
  /// When the last link went.
  private var unreachableSince: MonotonicTime?
  private var isLeaving = false
  private var isOver = false
  private nonisolated let wishes: AsyncStream<Wish>
  private nonisolated let queue: AsyncStream<Wish>.Continuation

  /// How long a session is kept that has no link and no seat: what Kurento keeps it for.
  private static let patience = MonotonicTime.Span.seconds(10)
  /// How long a session that only POST requests belong to waits for the next one.
  private static let idlePatience = MonotonicTime.Span.seconds(60)
  private static let tickInterval = MonotonicTime.Span.milliseconds(500)

  init(id: String, traits: KurentoClientTraits, token: String?, services: KurentoServices) {
    self.id = id
    self.token = token
    self.services = services
    let now = MonotonicClock.now
    machine = KurentoServer(
      sessionID: id, traits: traits, limits: JSONLimits(bytes: services.limits.message), at: now)
    unreachableSince = now
    // The machine bounds what waits here: it asks for one thing after the other.
    (wishes, queue) = AsyncStream.makeStream()
  }

  // MARK: Links

  func attach(_ outlet: any SessionOutlet) {
    let former = outlets.add(outlet)
    unreachableSince = nil
    if let former { handle(.linkLost(former)) }
  }

  func receive(_ text: String, from link: LinkNumber) {
    handle(.text(text, from: link))
  }

  func unreadable(_ sentence: String, from link: LinkNumber) {
    handle(.unreadable(sentence, from: link))
  }

  func linkLost(_ link: LinkNumber) {
    // A link that was moved away, or whose place another has taken, is no loss.
    guard outlets.remove(link) != nil else { return }
    handle(.linkLost(link))
    guard outlets.isEmpty else { return }
    unreachableSince = MonotonicClock.now
    if outlets.hadLasting { park() }
  }

  /// The seat goes into the room's care, and whoever comes under its name takes it over.
  private func park() {
    guard let seat, !isOver else { return }
    self.seat?.isParked = true
    seat.membership.detach()
    services.parked.park(
      ParkedSeats.Seat(
        session: self, resumeSecret: seat.membership.resumeSecret, identity: seat.request.identity),
      of: seat.request.name, in: seat.room)
  }

  /// Goes on over a link that came by another session, and answers its `connect`.
  func resume(_ outlet: any SessionOutlet, answering request: JSONRPCID) {
    outlet.move(to: self)
    attach(outlet)
    queue.yield(.resume(request, outlet.number))
  }

  /// The seat was taken over by a newer session: nothing is left to be done.
  func supersede() {
    seat = nil
    end(LinkClosing(code: 1000, reason: "the musician came back"))
  }

  // MARK: The machine

  private func handle(_ input: KurentoServer.Input) {
    guard !isOver else { return }
    machine.handle(input, at: MonotonicClock.now)
    drain()
  }

  private func drain() {
    while !isOver, let output = machine.next() {
      switch output {
      case .join(let number, let room, let request, let token):
        queue.yield(.join(number, room, request, token: token ?? self.token))
      case .perform(let number, let command): queue.yield(.perform(number, command))
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
      for await wish in wishes {
        if let membership = await carryOut(wish) {
          group.addTask { await self.follow(membership) }
        }
      }
      group.cancelAll()
    }
    guard let seat else { return }
    services.parked.forget(self, name: seat.request.name, in: seat.room)
    await seat.membership.leave()
  }

  /// Does what the machine asks for; a membership that is new has to be followed.
  private func carryOut(_ wish: Wish) async -> Membership? {
    switch wish {
    case .join(let number, let room, let request, let token): return await join(number, room, request, token)
    case .perform(let number, let command):
      await perform(number, command)
      return nil
    case .handOver(let link, let session, let request):
      await handOver(link, to: session, request)
      return nil
    case .resume(let request, let link): return await takeBack(request, link)
    }
  }

  private func join(
    _ number: OperationNumber, _ room: RoomName, _ request: JoinRequest, _ token: String?
  ) async -> Membership? {
    do throws(RoomRefusal) {
      let grant = try services.gatekeeper.grant(for: room, shown: token)
      var request = try grant.applied(to: request)
      if let former = services.parked.claim(request.name, in: room, identity: request.identity) {
        request.resumeSecret = former.resumeSecret
        await former.session.supersede()
      }
      let membership = try await services.broker.enter(room, request)
      let grace = MonotonicTime.Span(nanoseconds: Int64(membership.snapshot.policy.gracePeriod * 1e9))
      seat = Seat(membership: membership, request: request, room: room, gracePeriod: grace)
      handle(.joined(number, participant: membership.participant, membership.snapshot))
      // The link may have been lost while the room was entered.
      if unreachableSince != nil, outlets.hadLasting { park() }
      return membership
    } catch {
      handle(.refused(number, error))
      return nil
    }
  }

  private func perform(_ number: OperationNumber, _ command: RoomCommand) async {
    guard let seat else {
      return handle(.refused(number, RoomRefusal(.notJoined, "nobody has joined in this session")))
    }
    // Before the room does it: the end of the events must not look like the room's own will.
    if case .leave = command { isLeaving = true }
    do throws(RoomRefusal) {
      handle(.replied(number, try await seat.membership.perform(command)))
    } catch {
      handle(.refused(number, error))
    }
  }

  private func handOver(_ link: LinkNumber, to session: String, _ request: JSONRPCID) async {
    guard let other = services.rooms.find(session), other !== self, let outlet = outlets.remove(link) else {
      return handle(.unknownSession(request, on: link))
    }
    handle(.linkLost(link))
    await other.resume(outlet, answering: request)
    guard outlets.isEmpty else { return }
    if seat == nil { end(LinkClosing(code: 1000, reason: "")) } else { park() }
  }

  /// Takes the seat out of the room's care.
  private func takeBack(_ request: JSONRPCID, _ link: LinkNumber) async -> Membership? {
    guard let seat else {
      handle(.resumed(request, on: link, nil))
      return nil
    }
    // The new link came before the loss of the old one was seen: the seat was never given away.
    guard seat.isParked else {
      handle(.resumed(request, on: link, await services.broker.snapshot(of: seat.room)))
      return nil
    }
    services.parked.forget(self, name: seat.request.name, in: seat.room)
    var join = seat.request
    join.resumeSecret = seat.membership.resumeSecret
    do throws(RoomRefusal) {
      let membership = try await services.broker.enter(seat.room, join)
      // The grace period was over: a new seat has another secret, and its connections are gone.
      guard membership.resumeSecret == seat.membership.resumeSecret else {
        await membership.leave()
        throw RoomRefusal(.notJoined, "the seat was given up")
      }
      self.seat?.membership = membership
      self.seat?.isParked = false
      handle(.resumed(request, on: link, membership.snapshot))
      return membership
    } catch {
      self.seat = nil
      handle(.unknownSession(request, on: link))
      end(LinkClosing(code: 1000, reason: "the session is over"))
      return nil
    }
  }

  private func follow(_ membership: Membership) async {
    for await event in membership.events {
      guard isSeated(membership) else { return }
      // The seat is somebody else's from here on, or nobody's.
      if case .closed = event { seat = nil }
      handle(.event(event))
    }
    // Without a word, the room lets go of whoever does not read, and of whoever was detached or has left.
    guard !Task.isCancelled, !isOver, !isLeaving, isSeated(membership) else {
      return
    }
    seat = nil
    handle(.event(.closed(reason: .tooSlow)))
  }

  private func isSeated(_ membership: Membership) -> Bool {
    guard let seat else { return false }
    return seat.membership === membership && !seat.isParked
  }

  private func tick() async {
    let interval = KurentoSession.tickInterval
    while (try? await Task.sleep(for: .nanoseconds(interval.nanoseconds))) != nil, !isOver {
      let now = MonotonicClock.now
      machine.advance(to: now)
      drain()
      guard let since = unreachableSince else { continue }
      if now - since >= patience { end(LinkClosing(code: 1000, reason: "nobody came back")) }
    }
  }

  private var patience: MonotonicTime.Span {
    if !outlets.hadLasting { return KurentoSession.idlePatience }
    return max(KurentoSession.patience, seat?.gracePeriod ?? .zero)
  }
}
