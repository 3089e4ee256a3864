/// A person or machine in a room's session.
package struct Participant: Hashable, Sendable, Codable {
  package var id: ParticipantID
  package var name: DisplayName

  package init(id: ParticipantID, name: DisplayName) {
    self.id = id
    self.name = name
  }
}

/// What a participant may do in a room.
package enum Role: String, Sendable, Hashable, Codable, CaseIterable {
  /// Sends audio and takes one of the room's seats.
  case musician
  /// Hears, takes no seat.
  case listener

  /// Whether credentials of this role let their bearer change what a room records and keeps: take, cues, shared objects,
  /// files. Those of a listener let them hear, read and talk. Every way into the service asks this one question.
  package var mayChange: Bool { self == .musician }
}

/// The instrument or voice that a participant plays, as they call it: "guitar".
package typealias Part = String

/// Somebody who has played in takes, under one or many names and identifiers.
///
/// A musician gets a new `ParticipantID` for every seat; which of them are one person, people say by merging them.
package struct Person: Hashable, Sendable {
  /// The identifier under which all of theirs were gathered; their own where nothing was merged.
  package var id: ParticipantID
  /// The name that they were given by an edit, or else the one that they used last.
  package var name: DisplayName
  /// The name that an edit gave them, nil where there was none: then `name` follows what they call themselves.
  package var givenName: DisplayName?
  /// All names that they used, in order.
  package var names: [DisplayName]
  /// The identifiers that were merged into this one, in order.
  package var merged: [ParticipantID]
  /// 1 as the takes have it, one more with every edit: what an edit compares with.
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
