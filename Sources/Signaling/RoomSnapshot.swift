import Machines
import Music

/// The public state of a room at one instant.
package struct RoomSnapshot: Hashable, Sendable {
  /// A member of the room.
  package struct Member: Hashable, Sendable {
    package var participant: Participant
    package var role: Role
    package var part: Part?
    /// As `JoinRequest.meta`.
    package var meta: String?
    /// True once a sending connection is negotiated; audio may still be on its way.
    package var hasPublication: Bool
    /// True while they send audio to the room.
    package var isPublishing: Bool
    /// False while their link or path is lost and their seat is kept.
    package var isConnected: Bool
    /// True if they agreed to be recorded.
    package var consents: Bool
    /// True while a moderator has muted them.
    package var isMuted: Bool
    /// What their own client says of its sound.
    package var sound: SoundState
    /// Nil from a service that does not say.
    package var state: MemberState?
    /// True if a bot brings them from another server: other bots do not follow them, or two services whose bots visit
    /// each other would hear their own guests again and again.
    package var isGuest: Bool
    /// True for an app of XirSys, or of a call of Remote Monster, that came into a mesh room: two of one kind make their
    /// connection with each other themselves.
    package var isDirect: Bool
    /// The latest reading of a musician's connection; nil before the first.
    package var quality: QualityReading?
    /// The door by which they have come; nil from a service that does not say.
    package var door: Authorisation.Door?

    package init(
      participant: Participant, role: Role, part: Part? = nil, meta: String? = nil, hasPublication: Bool,
      isPublishing: Bool, isConnected: Bool, consents: Bool, isMuted: Bool = false, sound: SoundState = .on,
      state: MemberState? = nil, isGuest: Bool = false, isDirect: Bool = false, quality: QualityReading? = nil,
      door: Authorisation.Door? = nil
    ) {
      self.participant = participant
      self.role = role
      self.part = part
      self.meta = meta
      self.hasPublication = hasPublication
      self.isPublishing = isPublishing
      self.isConnected = isConnected
      self.consents = consents
      self.isMuted = isMuted
      self.sound = sound
      self.state = state
      self.isGuest = isGuest
      self.isDirect = isDirect
      self.quality = quality
      self.door = door
    }
  }

  /// The rolling take.
  package struct RollingTake: Hashable, Sendable {
    package var id: TakeID
    package var number: Int
    package var song: Song?
    package var startedAt: WallTime
    /// The same on the monotonic clock, from which the take's samples are counted; nil from a service that does not say.
    package var zero: MonotonicTime?

    package init(id: TakeID, number: Int, song: Song?, startedAt: WallTime, zero: MonotonicTime? = nil) {
      self.id = id
      self.number = number
      self.song = song
      self.startedAt = startedAt
      self.zero = zero
    }
  }

  package var room: RoomName
  package var policy: RoomPolicy
  package var session: SessionID?
  package var members: [Member]
  /// The take that is being recorded, nil when nothing is.
  package var take: RollingTake?
  /// The latest cues of that take, in the order in which they were set.
  package var cues: [Cue]
  /// True in a room whose takes begin by themselves (`call`) while none does: somebody has stopped, and has to start.
  package var isStopped: Bool
  /// The direct connections between musicians of a mesh room.
  package var pairs: [MeshPair]
  /// The backing track that everybody hears; nil for none.
  package var backing: BackingPlay?

  package init(
    room: RoomName, policy: RoomPolicy, session: SessionID?, members: [Member], take: RollingTake?,
    cues: [Cue] = [], isStopped: Bool = false, pairs: [MeshPair] = [], backing: BackingPlay? = nil
  ) {
    self.room = room
    self.policy = policy
    self.session = session
    self.members = members
    self.take = take
    self.cues = cues
    self.isStopped = isStopped
    self.pairs = pairs
    self.backing = backing
  }
}

/// What happens in a room, for lists of rooms.
package enum RoomActivity: String, Hashable, Sendable, CaseIterable {
  /// Nobody is in it.
  case empty
  /// A musician is alone in it, or listeners are.
  case waiting
  /// A musician and somebody else are in it.
  case live
  /// A take rolls.
  case recording
}

extension RoomSnapshot {
  package var activity: RoomActivity {
    if take != nil { return .recording }
    guard !members.isEmpty else { return .empty }
    return members.count > 1 && members.contains { $0.role == .musician } ? .live : .waiting
  }

  /// When the running session began; nil without one.
  package var startedAt: WallTime? {
    session.map { WallTime(milliseconds: Int64(clamping: $0.ulid.high >> 16)) }
  }
}

/// What a musician's client does with its sound.
package enum SoundState: String, Hashable, Sendable, CaseIterable {
  case on
  /// Muted by the musician: the client sends silence.
  case muted
  /// Talk to the others: heard, and silence in every file.
  case talkback
}
