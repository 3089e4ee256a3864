import Music
import Rooms
import Signaling
import Synchronization

/// What there is to know about a seat that somebody has taken, once for all who look at it.
final class OccupiedSeat: Sendable {
  /// Whose it is to speak for the seat.
  enum Care {
    case session
    /// The room's: its messages to the old link do not matter.
    case room
    /// The client itself ended the events.
    case client
    /// The seat's next value, of this session or of another one.
    case others
  }

  let membership: Membership
  let entry: RoomEntry
  private let present = Mutex(Care.session)

  init(_ membership: Membership, _ entry: RoomEntry) { (self.membership, self.entry) = (membership, entry) }

  var care: Care { present.withLock { $0 } }

  /// Of those who want it at the same time, the first one gets it.
  @discardableResult
  func pass(from former: Care, to next: Care) -> Bool {
    present.withLock { present in
      defer { if present == former { present = next } }
      return present == former
    }
  }
}

/// Seats of sessions that lost their link: a join under the same name takes over the seat at once, instead of being
/// refused until the grace period is over.
final class ParkedSeats: Sendable {
  struct Parked {
    var seat: OccupiedSeat
    var session: any SignalingSession
  }

  private struct Place: Hashable {
    var room: RoomName
    var name: DisplayName

    init(_ entry: RoomEntry) { (room, name) = (entry.room, entry.request.name) }
  }

  private let seats = Mutex<[Place: Parked]>([:])

  /// Parks a seat that is in the room's care; again, if a claim came to nothing and the session has not returned.
  func park(_ parked: Parked) {
    seats.withLock { if parked.seat.care == .room { $0[Place(parked.seat.entry)] = parked } }
  }

  /// Takes out the seat with the entry's name, for a join; nil if none is parked, somebody else is taking it over, or
  /// it belongs to somebody else (`Admission`).
  func claim(_ entry: RoomEntry) -> Parked? {
    seats.withLock { seats in
      guard let request = seats[Place(entry)]?.seat.entry.request,
        Admission.isSame(identity: request.identity, address: request.address, as: entry.request.admission())
      else { return nil }
      return seats.removeValue(forKey: Place(entry))
    }
  }

  /// Forgets a seat that its session has taken back, or given up.
  func forget(_ seat: OccupiedSeat) {
    seats.withLock { if $0[Place(seat.entry)]?.seat === seat { $0[Place(seat.entry)] = nil } }
  }
}
