/// Everything the index stores about one take.
package struct TakeContents: Hashable, Sendable {
  package var take: Take
  /// Its session, if more than its identifier is known.
  package var session: Session?
  package var tracks: [Track]
  /// Sorted by position.
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

/// A file of a take, as listed in its manifest.
package struct TakeFile: Hashable, Sendable {
  /// The name inside the take's folder.
  package var name: String
  /// "track", "mix", "peaks" or "journal".
  package var role: String
  /// The track it belongs to.
  package var track: TrackID?
  /// Length in bytes.
  package var size: Int64
  /// The method used for `digest`; nil if there is none.
  package var digestMethod: String?
  /// In hexadecimal digits.
  package var digest: String?

  package init(
    name: String, role: String, track: TrackID? = nil, size: Int64, digestMethod: String? = nil, digest: String? = nil
  ) {
    self.name = name
    self.role = role
    self.track = track
    self.size = size
    self.digestMethod = digestMethod
    self.digest = digest
  }
}

/// A mark on a take's time line.
package struct Cue: Hashable, Sendable, Codable {
  package var id: CueID
  package var position: SamplePosition
  package var text: String
  package var author: ParticipantID?
  /// Nil for a cue of the musicians.
  package var comment: CueComment?

  package init(
    id: CueID, position: SamplePosition, text: String, author: ParticipantID? = nil, comment: CueComment? = nil
  ) {
    self.id = id
    self.position = position
    self.text = text
    self.author = author
    self.comment = comment
  }
}
