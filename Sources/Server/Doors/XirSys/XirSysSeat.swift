import Machines
import Music
import Rooms
import Signaling
import Synchronization

/// The seat of a client of XirSys: one in a room of Jamjar, and a name for messages among such clients.
final class XirSysSeat: LetterboxSeat {
  typealias Words = XirSysWords
  /// Messages of the other clients.
  typealias Letter = XirSysEvent
  typealias Stay = LetterboxStay<Letter>

  private struct State {
    var key: XirSysPlaces.Key?
    /// The client itself has gone: nobody comes back to this seat.
    var hasLeft = false
  }

  let room: RoomSeat<XirSysRoomWords>
  let letterbox = Letterbox<Letter>(.bufferingOldest(XirSysPlaces.backlog))
  private let places: XirSysPlaces
  private let session: String
  private let state = Mutex(State())

  init(_ room: RoomSeat<XirSysRoomWords>, session: String, in places: XirSysPlaces) {
    self.room = room
    self.session = session
    self.places = places
  }

  var proof: Credential? { room.proof }

  func enter(_ entry: RoomEntry, for session: any SignalingSession) async throws(RoomRefusal) -> (Seating, Stay) {
    let (seating, membership) = try await room.enter(entry, for: session)
    let key = XirSysPlaces.Key(room: entry.room, name: entry.request.name.description)
    places.settle(XirSysPlaces.Place(session: self.session, post: letterbox.slot, address: link.address), at: key)
    state.withLock { $0.key = key }
    return (seating, .room(membership))
  }

  func perform(_ command: XirSysCommand) async throws(RoomRefusal) -> RoomReply {
    switch command {
    case .room(let command): return try await room.perform(command)
    case .relay(let message, let target): places.relay(message, from: try present, to: target)
    case .announceReturn: places.announceReturn(of: try present)
    }
    return .done
  }

  /// The name among the others. Messages of somebody who has just been removed go nowhere.
  private var present: XirSysPlaces.Key {
    get throws(RoomRefusal) {
      guard room.isTaken, let key = state.withLock({ $0.key }) else {
        throw RoomRefusal(.notJoined, "nobody has joined in this session")
      }
      return key
    }
  }

  func park(for session: any SignalingSession, _ parting: SessionParting) async {
    guard let key = state.withLock({ $0.key }) else { return }
    if parting.isLeaving {
      // Before the room acts: a new socket of the same user begins anew, and finds the name free.
      state.withLock { $0.hasLeft = true }
      await finish(for: session, parting)
    } else {
      places.unlink(key, session: self.session)
      await room.park(for: session, parting)
    }
  }

  func takeBack(for session: any SignalingSession) async throws(RoomRefusal) -> (RoomSnapshot?, Stay?) {
    let (key, hasLeft) = state.withLock { ($0.key, $0.hasLeft) }
    guard !hasLeft else { throw RoomRefusal(.notJoined, "the session is over") }
    let (snapshot, membership) = try await room.takeBack(for: session)
    if let key { places.link(key, session: self.session, from: link.address) }
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

  private func leavePlace() {
    if let key = state.withLock({ $0.key }) { places.leave(key, session: session) }
    letterbox.slot.finish()
  }
}

extension XirSysEvent: RoomEventHolder {}
