import Library
import Music
import Recording
import Signaling

/// What operators and moderators do with rooms from outside.
extension Broker {
  /// Ends the room's take, informs everyone that the room is closed, and removes them.
  /// - Throws: `RoomRefusal` `.wrongState` if nobody is in it.
  package func close(_ name: RoomName) async throws(RoomRefusal) {
    await (try live(name)).close()
  }

  /// Chooses how the musicians of a room hear each other, now and whenever it is opened again.
  /// - Throws: `RoomRefusal` `.storage`, `.tooMany` if the choice cannot be kept; nothing has changed then.
  package func choose(_ topology: RoomPolicy.Topology, in name: RoomName) async throws(RoomRefusal) {
    if let room = existing(name) {
      try await room.choose(topology)
    } else {
      try await services.topologies.choose(topology, in: name)
    }
  }

  /// Removes a member from a room.
  /// - Throws: `RoomRefusal` `.unknownParticipant`, `.forbidden` if the member has more rights than `principal`.
  package func kick(
    _ member: ParticipantID, from name: RoomName, by principal: Principal, at door: Authorisation.Door
  ) async throws(RoomRefusal) {
    guard let room = existing(name) else {
      throw RoomRefusal(.unknownParticipant, "nobody is in \(name)")
    }
    try await room.kick(member, by: principal, at: door)
  }

  /// Silences a member of a room for everybody, or lifts that.
  /// - Throws: as `kick`.
  package func mute(
    _ member: ParticipantID, _ isMuted: Bool, in name: RoomName, by principal: Principal, at door: Authorisation.Door
  ) async throws(RoomRefusal) {
    guard let room = existing(name) else {
      throw RoomRefusal(.unknownParticipant, "nobody is in \(name)")
    }
    try await room.mute(member, isMuted, by: principal, at: door, as: nil)
  }

  /// Silences every musician of a room but `excluded`, and all later senders; or only ends the latter.
  /// - Returns: those who were silenced.
  /// - Throws: `RoomRefusal` `.wrongState` if nobody is in the room, `.forbidden`.
  package func muteAll(
    _ isActive: Bool, except excluded: Set<ParticipantID>, in name: RoomName, by principal: Principal,
    at door: Authorisation.Door
  ) async throws(RoomRefusal) -> [ParticipantID] {
    try await live(name).muteAll(isActive, except: excluded, by: principal, at: door)
  }

  /// Ends what a member sends to a room; the member stays.
  /// - Throws: as `kick`.
  package func unpublish(
    _ member: ParticipantID, in name: RoomName, by principal: Principal, at door: Authorisation.Door
  ) async throws(RoomRefusal) {
    guard let room = existing(name) else {
      throw RoomRefusal(.unknownParticipant, "nobody is in \(name)")
    }
    try await room.unpublish(member, by: principal, at: door)
  }

  /// Revokes join tokens, and removes the members who came in by them.
  /// - Throws: `RoomRefusal` `.tooMany`; `FileProblem` if it cannot be written down. Nothing is revoked then.
  /// - Parameter leaving: places of the list of revocations that stay free.
  package func revoke(
    _ subject: RevocationList.Subject, until: WallTime?, leaving: Int = 0
  ) async throws -> RevocationList.Entry {
    let entry = try await revocations.add(subject, until: until, leaving: leaving)
    for room in openRooms {
      await room.dismiss { [revocations] in revocations.revokes($0, in: room.name) }
    }
    return entry
  }
}
