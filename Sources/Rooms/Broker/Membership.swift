import Machines
import Music
import Signaling

/// A seat (or a listener's place) in a room, as the faces hold it: commands in, events out.
package final class Membership: Sendable {
  package let participant: ParticipantID
  package let room: RoomName
  /// Shown at a later join, it takes this seat back.
  package let resumeSecret: String
  /// The room as it was at the join, this member included.
  package let snapshot: RoomSnapshot
  /// What happens in the room from the join on; ends when the seat is lost.
  package let events: AsyncStream<RoomEvent>
  private let actor: RoomActor
  private let link: UInt64

  init(_ seat: RoomActor.Seat, in actor: RoomActor, of room: RoomName) {
    participant = seat.participant
    self.room = room
    resumeSecret = seat.resumeSecret
    snapshot = seat.snapshot
    events = seat.events
    link = seat.link
    self.actor = actor
  }

  /// Carries out a command of this member.
  /// - Throws: `RoomRefusal` that says what was wrong.
  package func perform(_ command: RoomCommand) async throws(RoomRefusal) -> RoomReply {
    try await actor.perform(command, by: participant, link: link)
  }

  /// Opens a way for audio that comes to this process by other means than RTP; it takes the place of whatever the
  /// musician published before.
  ///
  /// - Parameters:
  ///   - origin: the protocol that it came by, for the journal ("rtmp").
  ///   - isStereo: what the sender says of its channels.
  /// - Throws: `RoomRefusal` where the seat is gone, or a listener's.
  package func openFeed(origin: String, isStereo: Bool) async throws(RoomRefusal) -> AudioFeed {
    let label = try await actor.openFeed(of: participant, link: link, origin: origin, isStereo: isStereo)
    return AudioFeed(room: actor, participant: participant, link: link, label: label)
  }

  /// Hears a musician or the live mix within this process, as Opus packets.
  /// - Throws: `RoomRefusal` where the seat or the musician is gone.
  package func openTap(to source: AudioSource) async throws(RoomRefusal) -> AudioTap {
    try await actor.openTap(to: source, by: participant, link: link)
  }

  /// Ends a tap.
  package func close(_ tap: AudioTap) async {
    _ = try? await actor.perform(.close(tap.label), by: participant, link: link)
  }

  /// The signaling link is lost: seat and media are kept for the grace period.
  package func detach() {
    // The link is gone and nobody is left to wait; the actor does it in its turn.
    Task { [actor, participant, link] in await actor.detach(participant, link: link) }
  }

  /// Leaves for good.
  package func leave() async {
    await actor.leave(participant, link: link)
  }
}

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

/// What a member hears within this process: for whatever carries audio by other means than RTP.
package struct AudioTap: Sendable {
  /// One Opus packet.
  package struct Packet: Sendable {
    package var opus: [UInt8]
    /// Time of its first sample, in samples at 48 kHz, from 0 on.
    package var timestamp: Int64
  }

  let label: PeerLabel
  /// Packets as they come; ends with the tap. Whoever does not read loses the oldest.
  package let packets: AsyncStream<Packet>
}
