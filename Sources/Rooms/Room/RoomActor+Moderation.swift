import Logging
import Machines
import Music
import Recording
import Signaling

/// What a moderator does with a member.
extension RoomActor {
  /// Removes a member. Their seat is given up at once; what was recorded stays.
  /// - Throws: `RoomRefusal` `.unknownParticipant`, `.forbidden` if the member has more rights than `principal`.
  func kick(_ participant: ParticipantID, by principal: Principal, at door: Authorisation.Door) throws(RoomRefusal) {
    let member = try member(participant, for: .kick, by: principal, at: door)
    logger.notice("kicked", metadata: ["participant": "\(participant)"])
    dismiss(member, .kicked)
  }

  /// Silences a member for everybody, in the live mix and in the recording, or lifts that.
  /// - Parameter moderator: nil for a request from outside the room.
  /// - Throws: as `kick`.
  func mute(
    _ participant: ParticipantID, _ isMuted: Bool, by principal: Principal, at door: Authorisation.Door,
    as moderator: ParticipantID?
  ) throws(RoomRefusal) {
    silence(try member(participant, for: .mute, by: principal, at: door), isMuted, as: moderator)
  }

  func silence(_ member: Member, _ isMuted: Bool, as moderator: ParticipantID?) {
    guard member.isMuted != isMuted else { return }
    let participant = member.participant.id
    member.isMuted = isMuted
    logger.notice("\(isMuted ? "muted" : "no longer muted")", metadata: ["participant": "\(participant)"])
    tell(.muted(isMuted, by: moderator), to: member)
    tell(.changed(member.snapshot(at: MonotonicClock.now)))
    for pair in mesh.mute(participant, isMuted) { tell(.pair(pair)) }
  }

  /// Silences every musician but `excluded`, and all later senders; or only ends the latter.
  /// - Returns: those who were silenced.
  /// - Throws: `RoomRefusal` `.forbidden`.
  func muteAll(
    _ isActive: Bool, except excluded: Set<ParticipantID>, by principal: Principal, at door: Authorisation.Door
  ) throws(RoomRefusal) -> [ParticipantID] {
    try Authorisation.check(principal, .mute, on: .room(name), at: door)
    mutesNewcomers = isActive
    guard isActive else { return [] }
    let reached = members.filter { member in
      // Nobody with more rights than the moderator: as for one member.
      let object = Authorisation.Object.member(of: name, member.principal.authority)
      return member.publication != nil && !excluded.contains(member.participant.id)
        && Authorisation.decide(principal, .mute, on: object, at: door) == .allowed
    }
    for member in reached { silence(member, true, as: nil) }
    return reached.map(\.participant.id)
  }

  /// Ends what a member sends; the member stays.
  /// - Throws: as `kick`.
  func unpublish(
    _ participant: ParticipantID, by principal: Principal, at door: Authorisation.Door
  ) throws(RoomRefusal) {
    let member = try member(participant, for: .mute, by: principal, at: door)
    logger.notice("unpublished", metadata: ["participant": "\(participant)"])
    endPublications(of: member, at: MonotonicClock.now)
  }

  /// Removes the members who came in by a token that no longer holds.
  func dismiss(where isRevoked: (TokenStamp) -> Bool) {
    for member in members {
      if let token = member.principal.token, isRevoked(token) { dismiss(member, .kicked) }
    }
  }

  /// Removes the members whose tokens have expired: what a token permitted ends with it, at every door. Only links that
  /// act for an API key, or for a secret that has no end, stay.
  func dismissExpired(at now: WallTime) {
    for member in members where member.principal.token?.hasExpired(at: now) == true {
      logger.notice("removed with the end of the token", metadata: ["participant": "\(member.participant.id)"])
      dismiss(member, .expired)
    }
  }

  func dismiss(_ member: Member, _ reason: RoomEvent.ClosingReason) {
    tell(.closed(reason: reason), to: member)
    remove(member, at: MonotonicClock.now)
  }

  private func member(
    _ participant: ParticipantID, for action: Authorisation.Action, by principal: Principal, at door: Authorisation.Door
  ) throws(RoomRefusal) -> Member {
    guard let member = members.first(where: { $0.participant.id == participant }) else {
      throw RoomRefusal(.unknownParticipant, "\(participant) is not in \(name); the snapshot lists its members")
    }
    try Authorisation.check(principal, action, on: .member(of: name, member.principal.authority), at: door)
    return member
  }
}
