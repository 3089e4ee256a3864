/// All that the index keeps of one take.
package struct TakeContents: Hashable, Sendable {
  package var take: Take
  /// Its session where more is known than its identifier.
  package var session: Session?
  package var tracks: [Track]
  /// By position.
  package var cues: [Cue]
  package var files: [TakeFile]

  package init(take: Take, session: Session? = nil, tracks: [Track], cues: [Cue], files: [TakeFile] = []) {
    self.take = take
    self.session = session
    self.tracks = tracks
    self.cues = cues
    self.files = files
  }
}
