/// What is played: takes are attempts at a song.
package struct Song: Hashable, Sendable, Codable {
  package var id: SongID
  package var title: String

  package init(id: SongID, title: String) {
    self.id = id
    self.title = title
  }
}
