import Music
import Rooms
import Signaling
import Synchronization

/// The clients of Remote Monster with a socket, by their tokens: for those who come back, and for messages among them.
final class RemonPlaces: Sendable {
  struct Place: Sendable {
    let session: String
    let pass: RemonPass
    let ident: String
    let post: AsyncStream<RemonEvent>.Continuation
    var address: String?
    /// False while the client has no socket.
    var isLinked = true
    /// Where it is, once it is in a room.
    var room: RoomName?
    var participant: ParticipantID?
    var part: RemonPart?
  }

  enum Standing: Hashable, Sendable {
    case free
    /// The client's own session, which has lost its socket or is about to get another one from the same address.
    case theirs(session: String)
    /// The socket works, and is at another address: the token, which others may see, proves nothing.
    case taken
  }

  /// Most messages that wait for one client.
  static let backlog = 512

  private let places = Mutex<[String: Place]>([:])

  func bind(_ place: Place) {
    places.withLock { $0[place.pass.token] = place }
  }

  func leave(_ token: String, session: String) {
    places.withLock { if $0[token]?.session == session { $0[token] = nil } }
  }

  /// The client has lost its socket, or has another one from `address`.
  func link(_ token: String, session: String, isLinked: Bool, from address: String?) {
    places.withLock { places in
      guard places[token]?.session == session else { return }
      places[token]?.isLinked = isLinked
      if isLinked { places[token]?.address = address }
    }
  }

  func settle(_ token: String, in room: RoomName, as participant: ParticipantID, _ part: RemonPart) {
    places.withLock { places in
      places[token]?.room = room
      places[token]?.participant = participant
      places[token]?.part = part
    }
  }

  /// The client has left its room, and keeps its socket.
  func unsettle(_ token: String) {
    places.withLock { places in
      places[token]?.room = nil
      places[token]?.participant = nil
      places[token]?.part = nil
    }
  }

  func standing(of token: String, from address: String?) -> Standing {
    places.withLock { places in
      guard let place = places[token] else { return .free }
      let isSame = place.address != nil && place.address == address
      return !place.isLinked || isSame ? .theirs(session: place.session) : .taken
    }
  }

  func place(of token: String) -> Place? { places.withLock { $0[token] } }

  /// Passes a frame on to the client of a participant, if there is one.
  func relay(_ frame: RemonFrame, from sender: ParticipantID, to participant: ParticipantID) {
    let receiver = places.withLock { places in places.values.first { $0.participant == participant }?.post }
    receiver?.yield(.relayed(frame, from: sender))
  }

  /// Those who are in a room.
  func present(in room: RoomName) -> [Place] {
    places.withLock { places in places.values.filter { $0.room == room } }
  }
}
