import Music
import Synchronization

/// Seats of sessions whose link is lost: whoever joins under the name takes the seat over at once, instead of being told
/// that the name is taken until the grace period is over.
final class ParkedSeats: Sendable {
  struct Seat: Sendable {
    var session: KurentoSession
    var resumeSecret: String
    /// The identity that the seat's token proved.
    var identity: String?
  }

  private struct Place: Hashable {
    var room: RoomName
    var name: DisplayName
  }

  private let seats = Mutex<[Place: Seat]>([:])

  func park(_ seat: Seat, of name: DisplayName, in room: RoomName) {
    seats.withLock { $0[Place(room: room, name: name)] = seat }
  }

  /// Takes the seat out for whoever joins under its name; nil where none is parked, or where it belongs to somebody else.
  func claim(_ name: DisplayName, in room: RoomName, identity: String?) -> Seat? {
    seats.withLock { seats in
      let place = Place(room: room, name: name)
      guard let seat = seats[place], seat.identity == identity else { return nil }
      seats[place] = nil
      return seat
    }
  }

  /// The session is back, or over.
  func forget(_ session: KurentoSession, name: DisplayName, in room: RoomName) {
    seats.withLock { seats in
      let place = Place(room: room, name: name)
      if seats[place]?.session === session { seats[place] = nil }
    }
  }
}
