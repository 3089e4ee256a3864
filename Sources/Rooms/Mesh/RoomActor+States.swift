import Machines
import Music
import Signaling

/// Where each member stands, in one word for everybody.
extension RoomActor {
  /// Finds the members' states; the room is told what has changed.
  func updateStates(at now: MonotonicTime) {
    for member in members {
      let state = state(of: member, at: now)
      guard state != member.state else { continue }
      member.state = state
      tell(.state(member.participant.id, state))
    }
  }

  /// Where one member stands; a newcomer's is in the event `joined`.
  func state(of member: Member, at now: MonotonicTime) -> MemberState {
    guard member.isPresent(at: now) else { return .away }
    guard member.role == .musician else { return .connected }
    guard members.contains(where: { $0 !== member && $0.role == .musician }) else { return .waiting }
    let isOnItsWay = mesh.pairs.contains {
      $0.has(member.participant.id) && ($0.state == .connecting || $0.state == .lost)
    }
    return member.publication?.hasAudio == true && !isOnItsWay ? .connected : .connecting
  }
}
