import Machines
import Music
import Rooms
import Signaling
import Synchronization

/// A client's seat in a room, which may be empty, taken, or parked while the client has no link.
final class RoomSeat<Words: RoomVocabulary>: Seat {
  private let means: DoorMeans
  let link: LinkBearer
  /// The parked seats, where a join under the same name finds the seat of a session that lost its link. Nil if clients
  /// return by the seat's secret alone; the seat then outlives its session in the room's care.
  private let parking: ParkedSeats?
  private let occupied = Mutex<OccupiedSeat?>(nil)
  private let lane: ApplicationMethods.Lane
  /// The client with what it has proved; nil before that.
  private let caller = Mutex<Caller?>(nil)

  init(_ means: DoorMeans, _ link: LinkBearer, parking: ParkedSeats?) {
    self.means = means
    self.link = link
    self.parking = parking
    lane = means.application.lane()
  }

  var standing: [Membership] { [] }
  var isTaken: Bool { occupied.withLock { $0 != nil } }
  var proof: Credential? {
    means.turnstile.gatekeeper.isOpen ? .open : caller.withLock { $0?.credential } ?? link.proof
  }
  var gracePeriod: MonotonicTime.Span {
    occupied.withLock { .nanoseconds(Int64(saturating: ($0?.membership.snapshot.policy.gracePeriod ?? 0) * 1e9)) }
  }

  func enter(
    _ entry: RoomEntry, for session: any SignalingSession
  ) async throws(RoomRefusal) -> (Seating, Membership) {
    try await enter(entry)
  }

  func enter(_ entry: RoomEntry) async throws(RoomRefusal) -> (Seating, Membership) {
    let (grant, caller) = try means.turnstile.admit(entry.token ?? link.token, at: Words.door, from: link.origin)
    self.caller.withLock { $0 = caller }
    try means.turnstile.quotas.begin(.join, caller, room: entry.room)
    var entry = entry
    entry.request = try grant.applied(to: entry.request, in: entry.room, at: Words.door, address: link.address)
    let former = parking?.claim(entry)
    if let former { entry.request.resumeSecret = former.seat.membership.resumeSecret }
    let membership: Membership
    do throws(RoomRefusal) {
      membership = try await means.broker.enter(entry.room, entry.request)
    } catch {
      // The old session keeps its seat.
      if let former { parking?.park(former) }
      throw error
    }
    // Unless the old session returned meanwhile: then this one has lost the seat, or it has taken it from the other.
    if let former, former.seat.pass(from: .room, to: .others) { await former.session.supersede() }
    let taken = OccupiedSeat(membership, entry)
    occupied.withLock { $0 = taken }
    let servers = means.broker.iceServers(for: membership.participant)
    let seating = Seating(
      participant: membership.participant, resumeSecret: membership.resumeSecret, snapshot: membership.snapshot,
      iceServers: servers, gracePeriod: membership.snapshot.policy.gracePeriod, authority: grant.principal.authority)
    return (seating, membership)
  }

  func perform(_ command: RoomCommand) async throws(RoomRefusal) -> RoomReply {
    guard let seat = occupied.withLock({ $0 }) else {
      throw RoomRefusal(.notJoined, "nobody has joined in this session")
    }
    let membership = seat.membership
    if command.beginsTake, let caller = caller.withLock({ $0 }) {
      try means.turnstile.quotas.begin(.take, caller, room: membership.room)
    }
    if case .call(let method, let arguments) = command {
      return try await call(method, arguments, by: membership)
    }
    guard case .leave = command else { return try await membership.perform(command) }
    // Before the room acts: the end of the events must not look like the room's decision.
    seat.pass(from: .session, to: .client)
    let reply = try await membership.perform(command)
    empty(membership)
    parking?.forget(seat)
    return reply
  }

  private func call(
    _ method: String, _ arguments: [SharedValue], by membership: Membership
  ) async throws(RoomRefusal) -> RoomReply {
    do throws(MethodFailure) {
      let value = try await means.application.perform(method, arguments, by: membership, at: Words.door, in: lane)
      return value.map { .returned($0) } ?? .done
    } catch {
      throw error.refusal
    }
  }

  func follow(_ membership: Membership, _ tell: @Sendable (RoomEvent, UInt64?) async -> Void) async {
    var number: UInt64 = 0
    for await event in membership.events {
      number &+= 1
      // The room tells it to the seat's next link.
      guard isHere(membership) else { return }
      // From here on the seat belongs to another session, or to none.
      if case .closed = event { empty(membership) }
      await tell(event, number)
    }
    // A room silently drops a member that does not read, that left, or that is parked.
    guard !Task.isCancelled, isHere(membership), occupied.withLock({ $0?.care }) == .session else { return }
    empty(membership)
    await tell(.closed(reason: .tooSlow), nil)
  }

  func park(for session: any SignalingSession, _ parting: SessionParting) async {
    guard let seat = occupied.withLock({ $0 }), seat.care != .client else { return }
    if seat.pass(from: .session, to: .room) { parking?.park(ParkedSeats.Parked(seat: seat, session: session)) }
    await seat.membership.detach(parting)
  }

  func takeBack(for session: any SignalingSession) async throws(RoomRefusal) -> (RoomSnapshot?, Membership?) {
    guard let before = occupied.withLock({ $0 }) else { return (nil, nil) }
    // The new link came before the loss of the old one was noticed: the seat was never parked.
    if isHere(before.membership) { return (await means.broker.snapshot(of: before.entry.room), nil) }
    guard before.pass(from: .room, to: .others) else {
      empty(before.membership)
      throw RoomRefusal(.notJoined, "the seat was taken over by a later join")
    }
    parking?.forget(before)
    let members = await means.broker.snapshot(of: before.entry.room)?.members ?? []
    guard members.contains(where: { $0.participant.id == before.membership.participant }) else {
      empty(before.membership)
      throw RoomRefusal(.notJoined, "the seat was given up")
    }
    var request = before.entry.request
    request.resumeSecret = before.membership.resumeSecret
    do throws(RoomRefusal) {
      let membership = try await means.broker.enter(before.entry.room, request)
      // The grace period was over: a new seat has another secret, and its connections are gone.
      guard membership.resumeSecret == before.membership.resumeSecret else {
        await membership.leave()
        throw RoomRefusal(.notJoined, "the seat was given up")
      }
      let taken = OccupiedSeat(membership, before.entry)
      occupied.withLock { $0 = taken }
      return (membership.snapshot, membership)
    } catch {
      empty(before.membership)
      throw error
    }
  }

  func supersede() { occupied.withLock { $0 = nil } }

  func finish(for session: any SignalingSession, _ parting: SessionParting) async {
    guard let parking else { return await park(for: session, parting) }
    guard let last = occupied.withLock({ $0 }) else { return }
    parking.forget(last)
    await last.membership.leave()
  }

  /// Makes the listener a musician.
  func takeSeat() async throws(RoomRefusal) {
    guard let membership = occupied.withLock({ $0?.membership }) else {
      throw RoomRefusal(.notJoined, "nobody has joined in this session")
    }
    try await membership.takeSeat()
  }

  /// Makes the musician a listener again.
  func giveUpSeat() async {
    await occupied.withLock({ $0?.membership })?.giveUpSeat()
  }

  private func isHere(_ membership: Membership) -> Bool {
    occupied.withLock { $0?.membership === membership && ($0?.care == .session || $0?.care == .client) }
  }

  private func empty(_ membership: Membership) {
    occupied.withLock { if $0?.membership === membership { $0 = nil } }
  }
}

extension RoomCommand {
  /// True for commands that begin a take, which leaves files and perhaps a song.
  var beginsTake: Bool {
    switch self {
    case .startTake, .splitTake: true
    default: false
    }
  }
}
