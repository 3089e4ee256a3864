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
  /// What the credentials of the present (or last) link entitle to in this room.
  private(set) var principal = Principal.stranger
  /// The door of that link, and the network address of its client.
  private(set) var door = Authorisation.Door.native
  private(set) var address: String?

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

  /// Takes over the credentials of the client that has the seat from now on.
  func adopt(_ request: JoinRequest, in room: RoomName) {
    principal = Principal(request.authority, in: room, token: request.token)
    (door, address) = (request.door, request.address)
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

  func snapshot(at now: MonotonicTime) -> RoomSnapshot.Member {
    RoomSnapshot.Member(
      participant: participant, role: role, part: part, hasPublication: publication != nil,
      isPublishing: publication?.hasAudio ?? false, isConnected: isPresent(at: now), consents: consents)
  }

  func occupant(at now: MonotonicTime) -> Admission.Occupant {
    Admission.Occupant(
      participant: participant, role: role, isPresent: isPresent(at: now), identity: identity, address: address)
  }
}

extension JoinRequest {
  /// The part of the request that decides about admission.
  package func admission(provesResume: Bool = false) -> Admission.Request {
    Admission.Request(
      name: name, role: role, provesResume: provesResume, identity: identity, address: address, authority: authority)
  }
}

/// The signaling link of one member, which receives the room's events.
struct MemberLink {
  /// Maximum number of events waiting for a slow reader; a reader further behind is removed.
  static let mailbox = 256

  var id: UInt64
  var kind: LinkKind
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
