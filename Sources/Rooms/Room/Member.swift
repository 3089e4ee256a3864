import Machines
import Music
import Realtime
import Signaling

/// Somebody in a room: their seat, their signaling link, their media connections.
///
/// Lives on the room's loop; the room is the only one that touches it.
final class Member {
  let participant: Participant
  let role: Role
  var part: Part?
  var consents: Bool
  /// Shown by whoever resumes this seat.
  let resumeSecret: String
  let identity: String?

  /// The signaling link, nil while it is lost.
  var link: MemberLink?
  /// When link or media went away and the grace period began.
  var awaySince: MonotonicTime?

  /// Their media connections by the labels that they gave.
  var peers: [PeerLabel: Peer] = [:]
  /// Candidates that came before the offer that they belong to.
  var earlyCandidates: [PeerLabel: [CandidateMessage]] = [:]
  /// What they send to the room: a WebRTC peer or a plain RTP input.
  var publication: Publication?
  /// The others' connections that hear this member.
  var subscribers: [Peer] = []
  /// Was told to the room as publishing.
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

  /// Whether what was shown at the door lets them change what the room records and keeps.
  var mayChange: Bool { link?.authority.mayChange ?? false }

  /// True while their audio flows, or a connection by which they hear stands.
  func hasMedia(at now: MonotonicTime) -> Bool {
    publication?.isAlive(at: now) ?? peers.values.contains { $0.state == .connected || $0.state == .connecting }
  }

  /// True while somebody is at the other end: a link that can be spoken over, or media that flows.
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

/// The signaling link of one member: where the room's events go.
struct MemberLink {
  /// Events that wait for a slow reader at most; whoever falls further behind is let go.
  static let mailbox = 256

  var id: UInt64
  var kind: LinkKind
  /// What the credentials shown on this link allow.
  var authority: Role
  var events: AsyncStream<RoomEvent>.Continuation

  /// Sends an event; false when the mailbox is full.
  func send(_ event: RoomEvent) -> Bool {
    // Nobody listens to the room behind a resource; only its end and its own candidates matter to whoever holds it.
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
