import Machines
import Music
import Recording
import Signaling

/// Members of dialects whose clients come in first and decide later whether they play.
extension RoomActor {
  /// - Throws: `RoomRefusal` `.roomFull`, `.forbidden`, `.notJoined`.
  func takeSeat(_ participant: ParticipantID, link: UInt64) throws(RoomRefusal) {
    guard let member = member(participant, link: link) else {
      throw RoomRefusal(.notJoined, "this link no longer has a seat; join again")
    }
    guard member.role == .listener else { return }
    try member.check(.takeSeat, on: .room(name))
    let seated = members.count { $0.role == .musician }
    guard seated < policy.capacity else {
      throw RoomRefusal(.roomFull, "the room is full: \(seated) musicians are in it, and it has as many seats")
    }
    member.role = .musician
    openSessionIfNeeded()
    checkQuota()
    tell(.changed(member.snapshot(at: MonotonicClock.now)))
  }

  func giveUpSeat(_ participant: ParticipantID, link: UInt64) {
    guard let member = member(participant, link: link), member.role == .musician else { return }
    let now = MonotonicClock.now
    endPublications(of: member, at: now)
    member.role = .listener
    tell(.changed(member.snapshot(at: now)))
    if !members.contains(where: { $0.role == .musician }) { sessionEnded(at: now) }
  }

  /// Ends what a member sends.
  func endPublications(of member: Member, at now: MonotonicTime) {
    for publication in member.publications {
      guard let (label, _) = member.peers.first(where: { $0.value === publication.peer }) else { continue }
      closePeer(label, of: member, at: now)
    }
  }
}
