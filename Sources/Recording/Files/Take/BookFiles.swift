import Music

/// A song as edited by users: `_library/songs/<id>.json`.
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

  /// Contains only times, which are always valid.
  package func check() {}

  package static func name(of session: SessionID) -> String { "\(session).json" }
}

/// A person as edited by users: `_library/people/<id>.json`.
package struct PersonFile: Sidecar, Hashable {
  package static let currentVersion = 1
  package static let folder = "_library/people"

  package var version = PersonFile.currentVersion
  package var id: ParticipantID
  /// The name given by users; nil if it follows the participant's own.
  package var name: DisplayName?
  package var revision: Int
  /// Participants who are the same person.
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
