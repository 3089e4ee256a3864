import Machines
import Music
import Recording
import Rooms
import Signaling
import Synchronization

/// The users of XirSys who are in a room, by their names: for messages among them, and for those who come back.
final class XirSysPlaces: Sendable {
  struct Key: Hashable, Sendable {
    var room: RoomName
    var name: String
  }

  struct Place: Sendable {
    let session: String
    let post: AsyncStream<XirSysEvent>.Continuation
    var address: String?
    /// False while the user has no socket.
    var isLinked = true
    /// When this socket replaced one that still worked; nil if it did not.
    var tookOverAt: MonotonicTime?
  }

  /// Most messages that wait for one user.
  static let backlog = 512
  /// Two phones of one name would otherwise throw each other out for ever: the later one stays.
  private static let truce = MonotonicTime.Span.seconds(10)

  private let places = Mutex<[Key: Place]>([:])

  func settle(_ place: Place, at key: Key) {
    places.withLock { $0[key] = place }
  }

  /// Forgets a user whose session is over.
  func leave(_ key: Key, session: String) {
    places.withLock { if $0[key]?.session == session { $0[key] = nil } }
  }

  /// The user has lost the socket.
  func unlink(_ key: Key, session: String) {
    places.withLock { if $0[key]?.session == session { $0[key]?.isLinked = false } }
  }

  /// The user has another socket.
  func link(_ key: Key, session: String, from address: String?) {
    places.withLock { places in
      guard places[key]?.session == session else { return }
      places[key]?.isLinked = true
      places[key]?.address = address
    }
  }

  /// Whether there is such a user, and whether somebody at `address` may take the name over.
  func standing(of key: Key, from address: String?, at now: MonotonicTime) -> Standing {
    places.withLock { XirSysPlaces.standing(of: $0[key], from: address, at: now) }
  }

  /// The same for a new socket, which continues the session that it finds.
  func claim(_ key: Key, from address: String?, at now: MonotonicTime) -> Standing {
    places.withLock { places in
      let place = places[key]
      let standing = XirSysPlaces.standing(of: place, from: address, at: now)
      if case .theirs = standing { places[key]?.tookOverAt = place?.isLinked == true ? now : nil }
      return standing
    }
  }

  private static func standing(of place: Place?, from address: String?, at now: MonotonicTime) -> Standing {
    guard let place else { return .free }
    guard place.isLinked else { return .theirs(session: place.session) }
    if let time = place.tookOverAt, now - time < truce { return .taken }
    return place.address != nil && place.address == address ? .theirs(session: place.session) : .taken
  }

  enum Standing: Hashable, Sendable {
    case free
    /// The same user's, whose socket broke, or who is about to replace it.
    case theirs(session: String)
    case taken
  }

  /// Passes a message on; to all others if `target` is nil.
  func relay(_ message: XirSysMessage, from key: Key, to target: String?) {
    let receivers = places.withLock { places in
      guard let target else {
        return places.filter { $0.key.room == key.room && $0.key != key }.map(\.value.post)
      }
      return places[Key(room: key.room, name: target)].map { [$0.post] } ?? []
    }
    for receiver in receivers { receiver.yield(.relayed(message, from: key.name)) }
  }

  /// Tells the others of the room that a user has come back.
  func announceReturn(of key: Key) {
    let receivers = places.withLock { places in
      places.filter { $0.key.room == key.room && $0.key != key }.map(\.value.post)
    }
    for receiver in receivers { receiver.yield(.returned(key.name)) }
  }

  /// The users of a room, sorted.
  func names(in room: RoomName) -> [String] {
    places.withLock { $0.keys.filter { $0.room == room }.map(\.name).sorted() }
  }
}
