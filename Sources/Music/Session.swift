/// One gathering in a room, from the first musician to the last leave.
package struct Session: Hashable, Sendable, Codable {
  package var id: SessionID
  package var room: RoomName
  package var startedAt: WallTime
  package var endedAt: WallTime?

  package init(id: SessionID, room: RoomName, startedAt: WallTime, endedAt: WallTime? = nil) {
    self.id = id
    self.room = room
    self.startedAt = startedAt
    self.endedAt = endedAt
  }
}
