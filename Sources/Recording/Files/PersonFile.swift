import Music

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
