import Music
import Signaling
import Synchronization

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
  }

  private let seats = Mutex<[Place: Parked]>([:])

  func park(_ seat: Seat, of entry: RoomEntry) {
    seats.withLock { $0[Place(entry)] = Parked(seat: seat, identity: entry.request.identity) }
  }

  /// Removes the seat with the entry's name; nil if none is parked or it belongs to another identity.
  func claim(_ entry: RoomEntry) -> Seat? {
    seats.withLock { seats in
      guard let parked = seats[Place(entry)], parked.identity == entry.request.identity else { return nil }
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
