import Machines
import Music
import Realtime
import Signaling

/// A member of a room: seat, signaling link, media connections.
///
/// Belongs to the room's loop; only the room uses it.
final class Member {
  let participant: Participant
  /// A listener may take a seat, and give it up again.
  var role: Role
  var part: Part?
  /// As `JoinRequest.meta`.
  var meta: String?
  var consents: Bool
  /// True if the room was a mesh when they came. Whatever becomes of the room, their client goes on as it began.
  var cameIntoMesh = false
  /// True while a moderator has silenced them for everybody.
  var isMuted = false
  /// The state last announced to the room.
  var state: MemberState?
  /// The latest reading of their connection, and what their client has said of its own since.
  var quality: QualityReading?
  var health: HeardQuality?
  /// The latest reading of their client's clock, for tracks that begin later.
  var reading: ClockReading?
  /// What their client says of its sound.
  private var sound = SoundState.on
  /// When talk ends unless the client says again that it goes on.
  private var talkEnds: MonotonicTime?
  /// The secret required to resume this seat.
  let resumeSecret: String
  let identity: String?
  /// What the credentials of the present (or last) link entitle to in this room.
  private(set) var principal = Principal.stranger
  /// The door of that link, and the network address of its client.
  private(set) var door = Authorisation.Door.native
  private(set) var address: String?
  /// As `JoinRequest.origin`.
  private(set) var origin: String?
  /// As `JoinRequest.makesPairs`.
  private var makesPairs = false

  /// The signaling link; nil while it is lost.
  var link: MemberLink? {
    didSet {
      if let old = oldValue { formerLink = old.id }
      // The next may be another device's.
      reading = nil
    }
  }
  /// The link before; while there is no other, its client may still give up the seat.
  private(set) var formerLink: UInt64?
  /// When link or media was lost and the grace period began.
  var awaySince: MonotonicTime?
  /// True if the client ended the lost link itself, by a close of its own.
  var hasSaidGoodbye = false
  /// The messages since the loss of the link.
  var missed = MissedMessages()

  /// Their media connections by the client's labels.
  var peers: [PeerLabel: Peer] = [:]
  /// Candidates that arrived before their offer.
  var earlyCandidates: [PeerLabel: [CandidateMessage]] = [:]
  /// Their audio sent to the room: from a WebRTC peer or a plain RTP input.
  var publication: Publication?
  /// Further tracks of the same sender, which are recorded only.
  var stems: [Publication] = []
  /// Connections of others that receive this member's audio.
  var subscribers: [Peer] = []
  /// True once the room has been told that they publish.
  var isAnnounced = false

  init(
    participant: Participant, role: Role, part: Part?, meta: String? = nil, consents: Bool, resumeSecret: String,
    identity: String?
  ) {
    self.participant = participant
    self.role = role
    self.part = part
    self.meta = meta
    self.consents = consents
    self.resumeSecret = resumeSecret
    self.identity = identity
  }

  /// What is recorded of them: the publication that everybody hears, and the stems.
  var publications: [Publication] { (publication.map { [$0] } ?? []) + stems }

  /// True for a present publication of theirs.
  func owns(_ other: Publication) -> Bool { publication === other || stems.contains { $0 === other } }

  /// Takes over the credentials of the client that has the seat from now on.
  func adopt(_ request: JoinRequest, in room: RoomName) {
    principal = Principal(request.authority, in: room, token: request.token)
    (door, address, origin) = (request.door, request.address, request.origin)
    makesPairs = request.makesPairs
  }

  /// - Throws: `RoomRefusal` `.forbidden` if the member's credentials do not permit it.
  func check(_ action: Authorisation.Action, on object: Authorisation.Object) throws(RoomRefusal) {
    try Authorisation.check(principal, action, on: object, at: door)
  }

  /// True while their audio flows, or a connection for listening is up.
  func hasMedia(at now: MonotonicTime) -> Bool {
    publication?.isAlive(at: now) ?? peers.values.contains { $0.state == .connected || $0.state == .connecting }
  }

  /// True while the other end is alive: a working link, or flowing media.
  func isPresent(at now: MonotonicTime) -> Bool {
    link?.kind == .live || hasMedia(at: now)
  }

  /// Longest talk without a word from the client: if its link is lost, what is played is recorded again.
  static let talkLease = MonotonicTime.Span.seconds(6)

  /// Adopts what the client says of its sound; false if that is nothing new to the others.
  func says(_ state: SoundState, at now: MonotonicTime) -> Bool {
    defer {
      sound = state
      talkEnds = state == .talkback ? now + Member.talkLease : nil
    }
    return state != sound
  }

  func sound(at now: MonotonicTime) -> SoundState {
    guard sound == .talkback, let talkEnds else { return sound }
    return now < talkEnds ? .talkback : .on
  }

  /// Ends a talk whose client has fallen silent; true once, when the others have to be notified.
  func endLapsedTalk(at now: MonotonicTime) -> Bool {
    guard sound == .talkback, sound(at: now) != .talkback else { return false }
    (sound, talkEnds) = (.on, nil)
    return true
  }

  func snapshot(at now: MonotonicTime) -> RoomSnapshot.Member {
    RoomSnapshot.Member(
      participant: participant, role: role, part: part, meta: meta, hasPublication: publication != nil,
      isPublishing: publication?.hasAudio ?? false, isConnected: isPresent(at: now), consents: consents,
      isMuted: isMuted, sound: sound(at: now), state: state, isGuest: door == .bot,
      isDirect: cameIntoMesh && (door.makesPairs || makesPairs), quality: publication == nil ? nil : quality, door: door
    )
  }

  func occupant(at now: MonotonicTime) -> Admission.Occupant {
    Admission.Occupant(
      participant: participant, role: role, isPresent: isPresent(at: now), identity: identity, address: address,
      ghostFor: isGhost(at: now) ? awaySince.map { (now - $0).seconds } : nil)
  }
}

extension JoinRequest {
  /// The part of the request that decides about admission.
  package func admission(provesResume: Bool = false) -> Admission.Request {
    Admission.Request(
      name: name, role: role, provesResume: provesResume, identity: identity, address: address, authority: authority)
  }
}

/// The last messages to a member that the next link of the seat may have to be told: those that nobody was there for, or
/// all that went to the present link, which may be lost before it takes them.
struct MissedMessages {
  /// Most kept; the oldest go first.
  static let maximumCount = 64
  /// Most bytes of their texts.
  static let maximumBytes = 262_144

  private struct Message {
    var event: RoomEvent
    var bytes: Int
    var number: UInt64
  }

  private var messages: [Message] = []
  private var bytes = 0

  /// - Parameters:
  ///   - message: an event `missed`; nothing is kept of others.
  ///   - number: which event of a link it was.
  mutating func add(_ message: RoomEvent, number: UInt64 = 0) {
    guard case .missed(_, let text, _) = message else { return }
    let size = text.utf8.count
    messages.append(Message(event: message, bytes: size, number: number))
    bytes += size
    while messages.count > MissedMessages.maximumCount || bytes > MissedMessages.maximumBytes {
      bytes -= messages.removeFirst().bytes
    }
  }

  /// Hands those out whose numbers are wanted, once; the others are forgotten.
  mutating func take(where isWanted: (UInt64) -> Bool = { _ in true }) -> [RoomEvent] {
    defer { self = MissedMessages() }
    return messages.filter { isWanted($0.number) }.map(\.event)
  }
}

/// The signaling link of one member, which receives the room's events.
struct MemberLink {
  /// Maximum number of events waiting for a slow reader; a reader further behind is removed.
  static let mailbox = 256

  var id: UInt64
  var kind: LinkKind
  private let events: AsyncStream<RoomEvent>.Continuation
  /// Events so far.
  private var count: UInt64 = 0
  private var messages = MissedMessages()

  init(id: UInt64, kind: LinkKind, events: AsyncStream<RoomEvent>.Continuation) {
    (self.id, self.kind, self.events) = (id, kind, events)
  }

  func finish() { events.finish() }

  /// The messages that did not leave for the client.
  mutating func unread(after parting: SessionParting) -> [RoomEvent] { messages.take(where: parting.isUnread) }

  /// Sends an event; false if the mailbox is full.
  /// - Parameter message: what is to be kept of it for another link.
  mutating func send(_ event: RoomEvent, keeping message: RoomEvent?) -> Bool {
    // A resource has no listener for the room's events; its holder only needs its end and its own candidates.
    if kind == .resource {
      switch event {
      case .closed, .candidate: break
      default: return true
      }
    }
    if case .dropped = events.yield(event) { return false }
    count &+= 1
    if let message { messages.add(message, number: count) }
    return true
  }
}
