/// One numbered attempt at a song, or untitled playing.
package struct Take: Hashable, Sendable, Codable {
  package var id: TakeID
  /// Counts the takes of the same song (or of no song) in the same room, from 1.
  package var number: Int
  package var state: TakeState
  package var room: RoomName
  package var session: SessionID
  package var song: Song?
  package var startedAt: WallTime
  package var endedAt: WallTime?
  /// Length of every track and of the mix; nil until it is known.
  package var length: SamplePosition?
  package var trackCount: Int
  /// The take's folder, relative to the data folder.
  package var folder: String

  package init(
    id: TakeID, number: Int, state: TakeState = .armed, room: RoomName, session: SessionID, song: Song? = nil,
    startedAt: WallTime, endedAt: WallTime? = nil, length: SamplePosition? = nil, trackCount: Int = 0, folder: String
  ) {
    self.id = id
    self.number = number
    self.state = state
    self.room = room
    self.session = session
    self.song = song
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.length = length
    self.trackCount = trackCount
    self.folder = folder
  }
}
