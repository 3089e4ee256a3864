/// One meeting in a room, from the first musician's arrival until the last leaves.
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
