import Machines
import Music
import Signaling

/// A musician's audio that comes by other means than RTP, as Opus packets.
package struct AudioFeed: Sendable {
  /// One Opus packet.
  package struct Packet: Sendable {
    package var opus: [UInt8]
    /// Time of its first sample, in samples at 48 kHz from any origin; must not go back within one feed.
    package var timestamp: Int64
    /// When it came in.
    package var arrival: MonotonicTime
    /// When it would have come if it were played and not pushed: set for a file that comes faster than it plays.
    package var due: MonotonicTime?

    package init(opus: [UInt8], timestamp: Int64, arrival: MonotonicTime, due: MonotonicTime? = nil) {
      self.opus = opus
      self.timestamp = timestamp
      self.arrival = arrival
      self.due = due
    }
  }

  let room: RoomActor
  let participant: ParticipantID
  let link: UInt64
  let label: PeerLabel

  /// Gives packets to the room, in order: journaled, and forwarded to the others at once. The caller's executor and the
  /// room's are all that it runs on. What is pushed waits for its time where others play too.
  /// - Throws: `RoomRefusal` `.notJoined` where the seat is gone, `.unknownPeer` where something else was published.
  package nonisolated(nonsending) func send(_ packets: [Packet]) async throws(RoomRefusal) {
    try await room.feed(packets, into: label, of: participant, link: link)
  }

  /// Ends the musician's audio; the seat stays.
  package func close() async {
    await room.closeFeed(label, of: participant, link: link)
  }
}
