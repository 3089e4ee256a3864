import Machines

/// What a room and its gate have to know of the clients that come by a door. A dialect whose clients have customs of their
/// own has them here, beside the table, so that no room asks who somebody is.
extension Authorisation.Door {
  /// The door itself checks the secret that its clients show, and gives them a pass of this process for their seat.
  package var givesPasses: Bool { [.xirsys, .remon, .opentok].contains(self) }

  /// A client that has lost its link may play on and never join again (Kurento's demonstration for iOS).
  package var staysAway: Bool { self == .kurento }

  /// How long clients try to come back, whatever the room's grace period.
  package var returnsWithin: MonotonicTime.Span { self == .opentok ? .seconds(60) : .zero }

  /// Clients cannot join as listeners, and know no secret of their seat.
  package var hasNoWordsForSeats: Bool { self == .kurento }

  /// Messages of the chat may be as long as applications make them.
  package var sendsLongMessages: Bool { self == .kurento }

  /// Clients may subscribe to their own stream, to test their network.
  package var hearsItself: Bool { self == .opentok }

  /// In a mesh, two clients connect with each other without asking for it.
  package var makesPairs: Bool { self == .xirsys }

  /// In a mesh, its clients connect with each other only: nobody else understands what they say to each other.
  package var pairsWithItselfOnly: Bool { self == .remon }

  /// Its name stands in journals as the origin of tracks.
  package var isNamedInJournals: Bool { [.kurento, .kurentoTree, .xirsys, .remon, .opentok].contains(self) }
}
