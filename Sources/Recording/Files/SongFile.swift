import Music

/// A song as people wrote it: `_library/songs/<id>.json`.
package struct SongFile: Sidecar, Hashable {
  package static let currentVersion = 1
  package static let folder = "_library/songs"

  package var version = SongFile.currentVersion
  package var song: Song

  package init(_ song: Song) {
    self.song = song
  }

  package func check() throws(ValueProblem) { try song.checkNumbers() }

  package static func name(of song: SongID) -> String { "\(song).json" }
}
