import Music

/// A wish to enter a room, and the token that proves the right to it.
package struct RoomEntry: Hashable, Sendable {
  package var room: RoomName
  package var request: JoinRequest
  package var token: String?

  package init(_ room: RoomName, _ request: JoinRequest, token: String? = nil) {
    self.room = room
    self.request = request
    self.token = token
  }
}
