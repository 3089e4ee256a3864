import Machines
import Music
import Realtime
import Signaling

/// A member of a room: seat, signaling link, media connections.
///
/// Belongs to the room's loop; only the room uses it.
final class Member {
  let participant: Participant
  let role: Role
  var part: Part?
  var consents: Bool
  /// The secret required to resume this seat.
  let resumeSecret: String
  let identity: String?

  /// The signaling link; nil while it is lost.
  var link: MemberLink?
  /// When link or media was lost and the grace period began.
  var awaySince: MonotonicTime?

  /// Their media connections by the client's labels.
  var peers: [PeerLabel: Peer] = [:]
  /// Candidates that arrived before their offer.
  var earlyCandidates: [PeerLabel: [CandidateMessage]] = [:]
  /// Their audio sent to the room: from a WebRTC peer or a plain RTP input.
  var publication: Publication?
  /// Connections of others that receive this member's audio.
  var subscribers: [Peer] = []
  /// True once the room has been told that they publish.
  var isAnnounced = false

  init(
    participant: Participant, role: Role, part: Part?, consents: Bool, resumeSecret: String, identity: String?
  ) {
    self.participant = participant
    self.role = role
    self.part = part
    self.consents = consents
    self.resumeSecret = resumeSecret
    self.identity = identity
  }

  /// True if their credentials permit changing what the room records and keeps.
  var mayChange: Bool { link?.authority.mayChange ?? false }

  /// True while their audio flows, or a connection for listening is up.
  func hasMedia(at now: MonotonicTime) -> Bool {
    publication?.isAlive(at: now) ?? peers.values.contains { $0.state == .connected || $0.state == .connecting }
  }

  /// True while the other end is alive: a working link, or flowing media.
  func isPresent(at now: MonotonicTime) -> Bool {
    link?.kind == .live || hasMedia(at: now)
  }

  func snapshot(at now: MonotonicTime) -> RoomSnapshot.Member {
    RoomSnapshot.Member(
      participant: participant, role: role, part: part, hasPublication: publication != nil,
      isPublishing: publication?.hasAudio ?? false, isConnected: isPresent(at: now), consents: consents)
  }

  func occupant(at now: MonotonicTime) -> Admission.Occupant {
    Admission.Occupant(participant: participant, role: role, isPresent: isPresent(at: now), identity: identity)
  }
}

/// The signaling link of one member, which receives the room's events.
struct MemberLink {
  /// Maximum number of events waiting for a slow reader; a reader further behind is removed.
  static let mailbox = 256

  var id: UInt64
  var kind: LinkKind
  /// The rights granted by the credentials of this link.
  var authority: Role
  var events: AsyncStream<RoomEvent>.Continuation

  /// Sends an event; false if the mailbox is full.
  func send(_ event: RoomEvent) -> Bool {
    // A resource has no listener for the room's events; its holder only needs its end and its own candidates.
    if kind == .resource {
      switch event {
      case .closed, .candidate: break
      default: return true
      }
    }
    if case .dropped = events.yield(event) { return false }
    return true
  }
}
