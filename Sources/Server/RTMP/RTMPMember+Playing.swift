import Music
import Rooms
import Signaling
import Synchronization

/// What the connection hears of its room.
extension RTMPMember {
  func play(_ stream: UInt32, _ name: RTMPStreamName) async -> RTMPPlayer? {
    let (membership, codecs) = state.withLock { ($0.membership, $0.codecs) }
    do throws(RoomRefusal) {
      guard let membership else { throw RoomRefusal(.forbidden, "a connection that only publishes cannot play") }
      let source = try await source(name.name, in: membership.room)
      let player = try await RTMPPlayer(
        membership, to: source, takesOpus: codecs.contains("Opus") || codecs.contains("*"),
        transcoders: transcoders, broadcasts: services.broadcasts)
      state.withLock { $0.players[stream] = player }
      put(.input(.allowPlay(stream: stream)))
      return player
    } catch {
      put(.input(.refuse(stream: stream, .error(RTMPStatus.Code.playStreamNotFound, error.description))))
      return nil
    }
  }

  /// A musician of the room by name, or the mix; a musician called "mix" takes precedence.
  private func source(_ name: String, in room: RoomName) async throws(RoomRefusal) -> AudioSource {
    let members = await services.broker.snapshot(of: room)?.members ?? []
    if let found = members.first(where: { $0.role == .musician && $0.participant.name.description == name }) {
      return .participant(found.participant.id)
    }
    guard name == AudioSource.mixName else {
      throw RoomRefusal(.unknownParticipant, "no musician \"\(name.prefix(64))\" is in \(room); \"mix\" is all of them")
    }
    return .mix
  }

  func send(_ player: RTMPPlayer, _ stream: UInt32) async {
    let put = put
    do throws(RTMPCallError) {
      try await player.run { tag, time in put(.input(.audio(stream: stream, timestamp: time, tag))) }
    } catch {
      put(.input(.refuse(stream: stream, .error(RTMPStatus.Code.playFailed, error.description))))
      state.withLock { state in
        if state.players[stream] === player { _ = state.endPlayer(of: stream) }
      }
      await player.finish()
    }
  }

  /// Reports the end of the stream: otherwise players wait forever for a musician who has left.
  func endPlaying(_ participant: ParticipantID) async {
    let gone = state.withLock { state in
      let gone = state.players.filter { $0.value.source == .participant(participant) }
      for stream in gone.keys { _ = state.endPlayer(of: stream) }
      return gone
    }
    for (stream, player) in gone {
      put(.input(.endPlay(stream: stream)))
      await player.finish()
    }
  }
}
