import Machines
import Music
import Rooms
import Signaling
import Synchronization

/// A client's seat in a room, which may be empty, taken, or parked while the client has no link.
final class RoomSeat<Words: RoomVocabulary>: Seat {
  private struct Occupied {
    var membership: Membership
    var entry: RoomEntry
    /// In the room's care: the room's messages to the old link do not matter.
    var isParked = false
    /// The client itself ended the events.
    var isLeaving = false
  }

  private let doors: Doors
  let link: LinkBearer
  /// The parked seats, where a join under the same name finds the seat of a session that lost its link. Nil if clients
  /// return by the seat's secret alone; the seat then outlives its session in the room's care.
  private let parking: ParkedSeats?
  private let occupied = Mutex<Occupied?>(nil)
  /// The client with what it has proved; nil before that.
  private let caller = Mutex<Caller?>(nil)

  init(_ doors: Doors, _ link: LinkBearer, parking: ParkedSeats?) {
    self.doors = doors
    self.link = link
    self.parking = parking
  }

  var standing: Membership? { nil }
  var isTaken: Bool { occupied.withLock { $0 != nil } }
  var proof: Credential? {
    doors.turnstile.gatekeeper.isOpen ? .open : caller.withLock { $0?.credential } ?? link.proof
  }
  var gracePeriod: MonotonicTime.Span {
    occupied.withLock { .nanoseconds(Int64(saturating: ($0?.membership.snapshot.policy.gracePeriod ?? 0) * 1e9)) }
  }

  func enter(
    _ entry: RoomEntry, for session: any SignalingSession
  ) async throws(RoomRefusal) -> (Seating, Membership) {
    let (grant, caller) = try doors.turnstile.admit(entry.token ?? link.token, at: Words.door, from: link.origin)
    self.caller.withLock { $0 = caller }
    try doors.turnstile.quotas.begin(.join, caller, room: entry.room)
    var entry = entry
    entry.request = try grant.applied(to: entry.request, in: entry.room, at: Words.door, address: link.address)
    if let former = parking?.claim(entry) {
      entry.request.resumeSecret = former.resumeSecret
      await former.session.supersede()
    }
    let membership = try await doors.broker.enter(entry.room, entry.request)
    let taken = Occupied(membership: membership, entry: entry)
    occupied.withLock { $0 = taken }
    let servers = doors.broker.iceServers(for: membership.participant).map {
      Seating.Server(urls: $0.urls, username: $0.username, credential: $0.credential)
    }
    let seating = Seating(
      participant: membership.participant, resumeSecret: membership.resumeSecret, snapshot: membership.snapshot,
      iceServers: servers, gracePeriod: membership.snapshot.policy.gracePeriod, authority: grant.principal.authority)
    return (seating, membership)
  }

  func perform(_ command: RoomCommand) async throws(RoomRefusal) -> RoomReply {
    guard let membership = occupied.withLock({ $0?.membership }) else {
      throw RoomRefusal(.notJoined, "nobody has joined in this session")
    }
    if command.beginsTake, let caller = caller.withLock({ $0 }) {
      try doors.turnstile.quotas.begin(.take, caller, room: membership.room)
    }
    guard case .leave = command else { return try await membership.perform(command) }
    // Before the room acts: the end of the events must not look like the room's decision.
    occupied.withLock { $0?.isLeaving = true }
    let reply = try await membership.perform(command)
    empty(membership)
    return reply
  }

  func follow(_ membership: Membership, _ tell: @Sendable (RoomEvent) async -> Void) async {
    for await event in membership.events {
      guard isHere(membership) else { return }
      // From here on the seat belongs to another session, or to none.
      if case .closed = event { empty(membership) }
      await tell(event)
    }
    // A room silently drops a member that does not read, that left, or that is parked.
    guard !Task.isCancelled, isHere(membership), !occupied.withLock({ $0?.isLeaving ?? true }) else { return }
    empty(membership)
    await tell(.closed(reason: .tooSlow))
  }

  func park(for session: any SignalingSession) {
    let parked = occupied.withLock { occupied -> Occupied? in
      guard occupied?.isLeaving == false else { return nil }
      occupied?.isParked = true
      return occupied
    }
    guard let parked else { return }
    parked.membership.detach()
    parking?.park(ParkedSeats.Seat(session: session, resumeSecret: parked.membership.resumeSecret), of: parked.entry)
  }

  func takeBack(for session: any SignalingSession) async throws(RoomRefusal) -> (RoomSnapshot?, Membership?) {
    guard let before = occupied.withLock({ $0 }) else { return (nil, nil) }
    // The new link came before the loss of the old one was noticed: the seat was never parked.
    guard before.isParked else { return (await doors.broker.snapshot(of: before.entry.room), nil) }
    parking?.forget(session, before.entry)
    var request = before.entry.request
    request.resumeSecret = before.membership.resumeSecret
    do throws(RoomRefusal) {
      let membership = try await doors.broker.enter(before.entry.room, request)
      // The grace period was over: a new seat has another secret, and its connections are gone.
      guard membership.resumeSecret == before.membership.resumeSecret else {
        await membership.leave()
        throw RoomRefusal(.notJoined, "the seat was given up")
      }
      let taken = Occupied(membership: membership, entry: before.entry)
      occupied.withLock { $0 = taken }
      return (membership.snapshot, membership)
    } catch {
      empty(before.membership)
      throw error
    }
  }

  func supersede() { occupied.withLock { $0 = nil } }

  func finish(for session: any SignalingSession) async {
    guard let parking else { return park(for: session) }
    guard let last = occupied.withLock({ $0 }) else { return }
    parking.forget(session, last.entry)
    await last.membership.leave()
  }

  private func isHere(_ membership: Membership) -> Bool {
    occupied.withLock { $0?.membership === membership && $0?.isParked == false }
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

/// Seats of sessions that lost their link: a join under the same name takes over the seat at once, instead of being
/// refused until the grace period is over.
final class ParkedSeats: Sendable {
  struct Seat: Sendable {
    var session: any SignalingSession
    var resumeSecret: String
  }

  private struct Place: Hashable {
    var room: RoomName
    var name: DisplayName

    init(_ entry: RoomEntry) {
      room = entry.room
      name = entry.request.name
    }
  }

  private struct Parked {
    var seat: Seat
    /// The identity proved by the seat's token.
    var identity: String?
    var address: String?
  }

  private let seats = Mutex<[Place: Parked]>([:])

  func park(_ seat: Seat, of entry: RoomEntry) {
    seats.withLock {
      $0[Place(entry)] = Parked(seat: seat, identity: entry.request.identity, address: entry.request.address)
    }
  }

  /// Removes the seat with the entry's name; nil if none is parked or it belongs to somebody else (`Admission`).
  func claim(_ entry: RoomEntry) -> Seat? {
    seats.withLock { seats in
      guard let parked = seats[Place(entry)],
        Admission.isSame(identity: parked.identity, address: parked.address, as: entry.request.admission())
      else { return nil }
      seats[Place(entry)] = nil
      return parked.seat
    }
  }

  /// Forgets a seat whose session has returned or ended.
  func forget(_ session: any SignalingSession, _ entry: RoomEntry) {
    seats.withLock { seats in
      if seats[Place(entry)]?.seat.session === session { seats[Place(entry)] = nil }
    }
  }
}
