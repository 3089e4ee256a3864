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

/// A session with its times: `_library/sessions/<id>.json`.
package struct SessionFile: Sidecar, Hashable {
  package static let currentVersion = 1
  package static let folder = "_library/sessions"

  package var version = SessionFile.currentVersion
  package var session: Session

  package init(_ session: Session) {
    self.session = session
  }

  /// It has times only, which cannot be wrong in that way.
  package func check() {}

  package static func name(of session: SessionID) -> String { "\(session).json" }
}

/// A person as people know them: `_library/people/<id>.json`.
package struct PersonFile: Sidecar, Hashable {
  package static let currentVersion = 1
  package static let folder = "_library/people"

  package var version = PersonFile.currentVersion
  package var id: ParticipantID
  /// The name that they were given, nil where it follows what they call themselves.
  package var name: DisplayName?
  package var revision: Int
  /// Who is the same person.
  package var merged: [ParticipantID]

  package init(_ person: Person) {
    id = person.id
    name = person.givenName
    revision = person.revision
    merged = person.merged
  }

  package func check() throws(ValueProblem) { try NumberRule.counter(revision, field: "revision") }

  package static func name(of person: ParticipantID) -> String { "\(person).json" }
}
