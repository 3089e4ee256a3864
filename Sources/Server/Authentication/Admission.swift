import Music

/// What a request's credentials let it see and do over REST.
enum Admission: Hashable, Sendable {
  /// The service stands open, or an API key was shown.
  case everything
  /// A join token was shown: what concerns its room, or all rooms where it names none.
  case room(RoomName?, Role)

  /// The one room that may be seen, nil for all.
  var onlyRoom: RoomName? {
    guard case .room(let room, _) = self else { return nil }
    return room
  }

  func admits(to room: RoomName) -> Bool { onlyRoom.map { $0 == room } ?? true }
}
