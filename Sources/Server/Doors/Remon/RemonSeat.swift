import Machines
import Music
import Rooms
import Signaling
import Synchronization

/// The seat of a client of Remote Monster: one in a room of Jamjar, and a token among such clients.
final class RemonSeat: LetterboxSeat {
  typealias Words = RemonWords
  /// Frames of the other clients.
  typealias Letter = RemonEvent
  typealias Stay = LetterboxStay<Letter>

  private struct State {
    var pass: RemonPass?
    var participant: ParticipantID?
    /// What the client has on air.
    var cast: RemonHooks.Cast?
  }

  let room: RoomSeat<RemonRoomWords>
  let letterbox = Letterbox<Letter>(.bufferingOldest(RemonPlaces.backlog))
  private let desk: RemonDesk
  private let session: String
  private let state = Mutex(State())

  init(_ room: RoomSeat<RemonRoomWords>, session: String, at desk: RemonDesk) {
    self.room = room
    self.session = session
    self.desk = desk
  }

  /// A token of the REST interface proves that its client has the service's key.
  var proof: Credential? { room.proof ?? state.withLock { $0.pass }.map { Credential(token: $0.token) } }

  func enter(_ entry: RemonEntry, for session: any SignalingSession) async throws(RoomRefusal) -> (Seating, Stay) {
    let pass = try bound
    try await desk.check(entry)
    let token = desk.pass(of: pass, entry, from: link.address)
    let (seating, membership) = try await room.enter(RoomEntry(entry.room, entry.request, token: token), for: session)
    let cast = RemonSeat.cast(entry, of: pass.serviceID, by: seating.participant)
    state.withLock { ($0.participant, $0.cast) = (seating.participant, cast) }
    if entry.part.role == .musician { desk.hooks.note(seating.snapshot.session, of: pass.serviceID) }
    if let cast { desk.hooks.begin(cast) }
    desk.places.settle(pass.token, in: entry.room, as: seating.participant, entry.part)
    return (seating, .room(membership))
  }

  func perform(_ command: RemonCommand) async throws(RoomRefusal) -> RemonReply {
    switch command {
    case .room(let command):
      // A caller who was one too many, or a presence that becomes a musician, is not in the room any more.
      if case .leave = command, let pass = state.withLock({ $0.pass }) {
        desk.places.unsettle(pass.token)
        endCast()
      }
      return .room(try await room.perform(command))
    case .present(let token, let service):
      let reply = try desk.present(token, serviceID: service, session: session, letterbox.slot, from: link.origin)
      if case .pass(let pass) = reply { state.withLock { $0.pass = pass } }
      return reply
    case .find(let id, let bound): return .source(try await desk.source(of: id, bound: bound))
    case .search(let kind, let text):
      let pass = try bound
      return .list(await desk.list(kind, containing: text, bound: pass.bound, service: pass.serviceID))
    case .relay(let frame, let participant):
      guard room.isTaken, let own = state.withLock({ $0.participant }) else {
        throw RoomRefusal(.notJoined, "nobody has joined in this session")
      }
      desk.places.relay(frame, from: own, to: participant)
      return .room(.done)
    case .health(let health):
      guard room.isTaken else { return .room(.done) }
      return .room(try await room.perform(.report(ClientReport(health: health.heard))))
    }
  }

  private var bound: RemonPass {
    get throws(RoomRefusal) {
      guard let pass = state.withLock({ $0.pass }) else {
        throw RoomRefusal(.unauthorized, "this socket has shown no token")
      }
      return pass
    }
  }

  func park(for session: any SignalingSession, _ parting: SessionParting) async {
    if let pass = state.withLock({ $0.pass }) {
      desk.places.link(pass.token, session: self.session, isLinked: false, from: nil)
    }
    await room.park(for: session, parting)
  }

  func takeBack(for session: any SignalingSession) async throws(RoomRefusal) -> (RoomSnapshot?, Stay?) {
    let (snapshot, membership) = try await room.takeBack(for: session)
    if let pass = state.withLock({ $0.pass }) {
      desk.places.link(pass.token, session: self.session, isLinked: true, from: link.address)
    }
    return (snapshot, membership.map { .room($0) })
  }

  func supersede() {
    leavePlace()
    room.supersede()
  }

  func finish(for session: any SignalingSession, _ parting: SessionParting) async {
    leavePlace()
    await room.finish(for: session, parting)
  }

  /// The cast that a seat is, for those whom the service's operator wants to be told.
  private static func cast(
    _ entry: RemonEntry, of service: String, by participant: ParticipantID
  ) -> RemonHooks.Cast? {
    switch entry.part {
    case .caster: RemonHooks.Cast(service: service, id: entry.room.description)
    case .member: RemonHooks.Cast(service: service, id: participant.description)
    case .caller, .presence, .viewer: nil
    }
  }

  private func endCast() {
    let cast = state.withLock { state in
      defer { state.cast = nil }
      return state.cast
    }
    if let cast { desk.hooks.end(cast) }
  }

  private func leavePlace() {
    endCast()
    if let pass = state.withLock({ $0.pass }) { desk.places.leave(pass.token, session: session) }
    letterbox.slot.finish()
  }
}

extension RemonEvent: RoomEventHolder {}
