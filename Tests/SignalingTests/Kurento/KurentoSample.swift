import Machines
import Music

@testable import Signaling

/// Values that the tests of the Kurento dialect share.
enum KurentoSample {
  static let session = "5kq8v0a1rt7c"
  static let start = MonotonicTime(nanoseconds: 0)
  static let link = LinkNumber(1)
  static let otherLink = LinkNumber(2)
  static let iOS = KurentoClientTraits(hasOrigin: true, hasUserAgent: false)
  static let android = KurentoClientTraits(hasOrigin: false, hasUserAgent: false)
  static let me: ParticipantID = Sample.id("ME")
  static let take = RoomSnapshot.RollingTake(
    id: Sample.id("T01"), number: 1, song: Song(id: Sample.id("S0NG"), title: "Solar"),
    startedAt: WallTime(milliseconds: 1_795_229_769_123))
  static let answer = "v=0\r\na=group:BUNDLE audio\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:audio\r\n"
  static let candidate = CandidateMessage(candidate: "candidate:1 1 UDP 2015363327 198.51.100.7 40012 typ host")

  /// A name's participant is always the same one.
  static func id(_ name: String) -> ParticipantID {
    let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    let tail = name.unicodeScalars.map { String(digits[Int($0.value % 32)]) }.joined()
    return Sample.id(String(tail.prefix(20)))
  }

  static func member(_ name: String, publishes: Bool = false, role: Role = .musician) -> RoomSnapshot.Member {
    RoomSnapshot.Member(
      participant: Participant(id: id(name), name: DisplayName(name) ?? Sample.ada.name), role: role,
      hasPublication: publishes, isPublishing: false, isConnected: true, consents: true)
  }

  static func room(_ name: String) -> RoomName { RoomName(name) ?? Sample.room }

  static func snapshot(
    of room: String = "take5", _ members: [RoomSnapshot.Member] = [], take: RoomSnapshot.RollingTake? = nil
  ) -> RoomSnapshot {
    RoomSnapshot(room: self.room(room), policy: RoomPolicy(), session: nil, members: members, take: take)
  }

  /// A seat of "ann".
  static func seating(_ snapshot: RoomSnapshot = snapshot()) -> Seating {
    Seating(participant: id("ann"), resumeSecret: "", snapshot: snapshot, gracePeriod: 30, authority: .musician)
  }

  static func label(_ text: String) -> PeerLabel { PeerLabel(text) ?? Sample.peer }
}
