import Music

/// The public state of a room at one instant.
package struct RoomSnapshot: Hashable, Sendable {
  /// A member of the room.
  package struct Member: Hashable, Sendable {
    package var participant: Participant
    package var role: Role
    package var part: Part?
    /// True once a sending connection is negotiated; audio may still be on its way.
    package var hasPublication: Bool
    /// True while they send audio to the room.
    package var isPublishing: Bool
    /// False while their link or path is lost and their seat is kept.
    package var isConnected: Bool
    /// True if they agreed to be recorded.
    package var consents: Bool

    package init(
      participant: Participant, role: Role, part: Part? = nil, hasPublication: Bool, isPublishing: Bool,
      isConnected: Bool, consents: Bool
    ) {
      self.participant = participant
      self.role = role
      self.part = part
      self.hasPublication = hasPublication
      self.isPublishing = isPublishing
      self.isConnected = isConnected
      self.consents = consents
    }
  }

  /// The rolling take.
  package struct RollingTake: Hashable, Sendable {
    package var id: TakeID
    package var number: Int
    package var song: Song?
    package var startedAt: WallTime

    package init(id: TakeID, number: Int, song: Song?, startedAt: WallTime) {
      self.id = id
      self.number = number
      self.song = song
      self.startedAt = startedAt
    }
  }

  package var room: RoomName
  package var policy: RoomPolicy
  package var session: SessionID?
  package var members: [Member]
  /// The take that is being recorded, nil when nothing is.
  package var take: RollingTake?

  package init(
    room: RoomName, policy: RoomPolicy, session: SessionID?, members: [Member], take: RollingTake?
  ) {
    self.room = room
    self.policy = policy
    self.session = session
    self.members = members
    self.take = take
  }
}
