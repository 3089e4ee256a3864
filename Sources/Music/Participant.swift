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
