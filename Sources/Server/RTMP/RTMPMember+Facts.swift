import Rooms
import Signaling
import Synchronization

extension RTMPMember {
  /// What the connection carries at present, for statistics.
  var facts: RTMPConnections.Meter.Facts {
    let (scope, membership, publishers, players, dropped) = state.withLock { state in
      (
        state.scope, state.membership, Array(state.publishers.values), Array(state.players.values),
        state.droppedByPastPlayers
      )
    }
    var facts = RTMPConnections.Meter.Facts()
    facts.room = membership?.room ?? publishers.first?.membership.room ?? scope.flatMap { try? services.room(of: $0) }
    facts.participants = (membership.map { [$0.participant] } ?? []) + publishers.map(\.membership.participant)
    facts.codecs = Set(publishers.flatMap(\.codecs) + players.map(\.codec)).sorted()
    facts.publishes = !publishers.isEmpty
    facts.plays = !players.isEmpty
    facts.dropped = players.reduce(dropped) { $0 + $1.dropped }
    return facts
  }
}

extension RTMPMember.State {
  /// Removes a player; what it has dropped still counts for the connection.
  mutating func endPlayer(of stream: UInt32) -> RTMPPlayer? {
    let player = players.removeValue(forKey: stream)
    droppedByPastPlayers += player?.dropped ?? 0
    return player
  }
}
