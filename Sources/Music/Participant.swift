/// A person or machine in a room's session.
package struct Participant: Hashable, Sendable, Codable {
  package var id: ParticipantID
  package var name: DisplayName

  package init(id: ParticipantID, name: DisplayName) {
    self.id = id
    self.name = name
  }
}

/// The kind of a participant's place in a room. What its holder may do comes from their `Authority`.
package enum Role: String, Sendable, Hashable, Codable, CaseIterable {
  /// Sends audio and takes one of the room's seats.
  case musician
  /// Only listens, without a seat.
  case listener
}

/// The instrument or voice of a participant, in their own words: "guitar".
package typealias Part = String

/// A person who has played in takes, under one or several names and identifiers.
///
/// A musician gets a new `ParticipantID` for every seat; users merge those that belong to one person.
package struct Person: Hashable, Sendable, Codable {
  /// The identifier that represents the person; the participant's own if nothing was merged.
  package var id: ParticipantID
  /// The name given by an edit, or else the one used last.
  package var name: DisplayName
  /// The name given by an edit; if nil, `name` follows the participant's own.
  package var givenName: DisplayName?
  /// All names used, in order.
  package var names: [DisplayName]
  /// The identifiers that were merged into this one, in order.
  package var merged: [ParticipantID]
  /// Starts at 1 and increases by one with every edit; used to detect conflicting edits.
  package var revision: Int

  package init(
    id: ParticipantID, name: DisplayName, givenName: DisplayName? = nil, names: [DisplayName]? = nil,
    merged: [ParticipantID] = [], revision: Int = 1
  ) {
    self.id = id
    self.name = name
    self.givenName = givenName
    self.names = names ?? [name]
    self.merged = merged
    self.revision = revision
  }
}
