import Machines
import Music

/// A client's place in a room: its channel, who else is there, and its one media connection.
struct RemonStay {
  let part: RemonPart
  let room: RoomName
  let me: ParticipantID
  var channel: RemonChannel
  /// The other musicians, in the order of arrival.
  private(set) var musicians: [RoomSnapshot.Member] = []
  /// Those whose link and sound are lost, and whose seat is kept.
  private(set) var away: Set<ParticipantID> = []
  /// True if the client came into a mesh.
  private(set) var isMesh = false
  /// A viewer's cast; nil for a mix of everybody.
  let source: ParticipantID?
  /// With whom the client of a call speaks.
  var partner: ParticipantID?
  var leg: RemonLeg?

  init(_ part: RemonPart, _ channel: RemonChannel, source: ParticipantID?, _ seating: Seating) {
    self.part = part
    self.channel = channel
    self.source = source
    room = seating.snapshot.room
    me = seating.participant
    for member in seating.snapshot.members { note(member) }
  }

  /// Notes a member; true if they are a musician who is new here.
  @discardableResult
  mutating func note(_ member: RoomSnapshot.Member) -> Bool {
    let id = member.participant.id
    guard id != me else {
      isMesh = member.isDirect
      return false
    }
    guard member.role == .musician else { return false }
    if member.isConnected { away.remove(id) } else { away.insert(id) }
    if let index = musicians.firstIndex(where: { $0.participant.id == id }) {
      musicians[index] = member
      return false
    }
    musicians.append(member)
    return true
  }

  /// The musicians who are not away: whoever comes back after a reload finds the own former seat in the room.
  var present: [RoomSnapshot.Member] { musicians.filter { !away.contains($0.participant.id) } }

  mutating func lose(_ id: ParticipantID) { away.insert(id) }

  /// A musician who is back and leaves later has left, and was not lost.
  mutating func regain(_ id: ParticipantID) { away.remove(id) }

  /// Removes a musician who has left; nil if they were none.
  mutating func remove(_ id: ParticipantID) -> (member: RoomSnapshot.Member, wasLost: Bool)? {
    guard let index = musicians.firstIndex(where: { $0.participant.id == id }) else { return nil }
    return (musicians.remove(at: index), away.remove(id) != nil)
  }

  func musician(_ id: ParticipantID?) -> RoomSnapshot.Member? {
    musicians.first { $0.participant.id == id }
  }

  /// True if both clients make their connection themselves.
  func isDirect(_ id: ParticipantID) -> Bool {
    guard isMesh, let other = musician(id) else { return false }
    return other.isDirect && other.door == .remon
  }

  /// The channel object of another musician's cast.
  func cast(of member: RoomSnapshot.Member) -> RemonChannel {
    RemonChannel(
      id: member.participant.id.description, name: member.participant.name.description, kind: .broadcast,
      state: member.hasPublication ? .complete : .wait, serviceID: channel.serviceID, meta: member.meta)
  }
}

/// The media connection of a client, which ends at Jamjar.
struct RemonLeg {
  enum State: Hashable, Sendable {
    /// The room makes its description.
    case pending
    case open
    case dead
  }

  let label: PeerLabel
  /// What tells the client's peer connection from another of its own; nil until it has described it.
  var session: String?
  /// True if we have offered.
  let isOurs: Bool
  var state = State.pending
  var gate = CandidateGate()
  /// Where the audio stands in the client's description.
  var audio = AudioOnlyDescription.AudioPlace()

  init(label: PeerLabel, offer: String?) {
    self.label = label
    isOurs = offer == nil
    gate.begin()
    if let offer { describe(offer) }
  }

  mutating func describe(_ sdp: String) {
    session = RemonDescription.session(of: sdp)
    audio = AudioOnlyDescription.AudioPlace(in: sdp)
  }
}
