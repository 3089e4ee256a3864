import Machines
import Music
import Signaling

/// A seat (or a listener's place) in a room, as seen by the faces: commands in, events out.
package final class Membership: Sendable {
  package let participant: ParticipantID
  package let room: RoomName
  /// What the credentials of this member entitle to in the room.
  package let principal: Principal
  /// Regains this seat if presented at a later join.
  package let resumeSecret: String
  /// The room at the time of the join, including this member.
  package let snapshot: RoomSnapshot
  /// The room's events from the join on; ends when the seat is lost.
  package let events: AsyncStream<RoomEvent>
  private let actor: RoomActor
  private let link: UInt64

  init(_ seat: RoomActor.Seat, in actor: RoomActor, of room: RoomName) {
    participant = seat.participant
    principal = seat.principal
    self.room = room
    resumeSecret = seat.resumeSecret
    snapshot = seat.snapshot
    events = seat.events
    link = seat.link
    self.actor = actor
  }

  /// Carries out a command of this member.
  /// - Throws: `RoomRefusal` that names the fault.
  package func perform(_ command: RoomCommand) async throws(RoomRefusal) -> RoomReply {
    try await actor.perform(command, by: participant, link: link)
  }

  /// Opens an input for audio that reaches this process by other means than RTP, replacing the musician's earlier
  /// publication.
  ///
  /// - Parameters:
  ///   - origin: the source protocol, for the journal ("rtmp").
  ///   - codec: what the audio came as, before it became Opus: "aac".
  ///   - isStereo: the sender's statement about its channels.
  ///   - stem: set for a further track of the same sender, which is recorded beside the first and not heard live.
  /// - Throws: `RoomRefusal` if the seat is gone, or is a listener's.
  package func openFeed(
    origin: String, codec: String = "opus", isStereo: Bool, stem: AudioStem? = nil
  ) async throws(RoomRefusal) -> AudioFeed {
    let label = try await actor.openFeed(
      of: participant, link: link, origin: origin, codec: codec, isStereo: isStereo, stem: stem)
    return AudioFeed(room: actor, participant: participant, link: link, label: label)
  }

  /// Subscribes to a musician or the live mix within this process, as Opus packets.
  /// - Throws: `RoomRefusal` if the seat or the musician is gone.
  package func openTap(to source: AudioSource) async throws(RoomRefusal) -> AudioTap {
    try await actor.openTap(to: source, by: participant, link: link)
  }

  /// Ends a tap.
  package func close(_ tap: AudioTap) async {
    _ = try? await actor.perform(.close(tap.label), by: participant, link: link)
  }

  /// Makes a listener a musician, who may send sound; nothing changes for a musician.
  /// - Throws: `RoomRefusal` `.roomFull`, `.forbidden` if the credentials do not permit it, or `.notJoined`.
  package func takeSeat() async throws(RoomRefusal) {
    try await actor.takeSeat(participant, link: link)
  }

  /// Makes a musician a listener again: the seat is free, and what they sent ends.
  package func giveUpSeat() async {
    await actor.giveUpSeat(participant, link: link)
  }

  /// Hands the seat to other credentials: it is theirs from now on.
  /// - Throws: `RoomRefusal` if they do not permit it, or the seat is gone.
  func adopt(_ request: JoinRequest) async throws(RoomRefusal) {
    try await actor.adopt(request, for: participant, link: link)
  }

  /// Reports the loss of the signaling link: seat and media are kept for the grace period.
  package func detach() {
    // The link is gone and nobody waits for the result; the actor handles it in turn.
    Task { await detach(SessionParting(isLeaving: false)) }
  }

  /// Reports the end of the signaling link. If its client closed it, the seat is kept for a moment only. Messages among
  /// `events`, numbered from 1, that did not leave for the client are told to the seat's next link.
  package func detach(_ parting: SessionParting) async {
    await actor.detach(participant, link: link, parting)
  }

  /// Leaves permanently, even after `detach`: nobody comes back to the seat. Nothing happens once the seat has another
  /// link.
  package func leave() async {
    await actor.leave(participant, link: link)
  }
}

/// A further track of a musician whose sender has several, such as a mixing desk: a part of their own in the take.
package struct AudioStem: Hashable, Sendable {
  /// The sender's number of the track, distinct among its tracks.
  package var number: UInt8
  /// The part of the musician that it is: "drums".
  package var part: Part

  package init(number: UInt8, part: Part) {
    self.number = number
    self.part = part
  }
}

/// A musician's audio that arrives by other means than RTP, as Opus packets.
package struct AudioFeed: Sendable {
  /// One Opus packet.
  package struct Packet: Sendable {
    package var opus: [UInt8]
    /// Time of its first sample, in samples at 48 kHz from any origin; must not decrease within a feed.
    package var timestamp: Int64
    /// Arrival time.
    package var arrival: MonotonicTime
    /// When it would have arrived in real time: set for a file pushed faster than it plays.
    package var due: MonotonicTime?
    /// Packets known to be missing before it: they become a gap of the track, as those lost by RTP do.
    package var missing: Int

    package init(
      opus: [UInt8], timestamp: Int64, arrival: MonotonicTime, due: MonotonicTime? = nil, missing: Int = 0
    ) {
      self.opus = opus
      self.timestamp = timestamp
      self.arrival = arrival
      self.due = due
      self.missing = missing
    }
  }

  let room: RoomActor
  let participant: ParticipantID
  let link: UInt64
  let label: PeerLabel

  /// Passes packets to the room, in order: they are journaled and forwarded to the others at once. It runs only on
  /// the caller's executor and the room's. Packets pushed ahead of time wait if others are playing too.
  /// - Throws: `RoomRefusal`: `.notJoined` if the seat is gone, `.unknownPeer` if another publication replaced this
  ///   one.
  package nonisolated(nonsending) func send(_ packets: [Packet]) async throws(RoomRefusal) {
    try await room.feed(packets, into: label, of: participant, link: link)
  }

  /// Ends the musician's audio; the seat remains.
  package func close() async {
    await room.closeFeed(label, of: participant, link: link)
  }
}

/// A member's subscription within this process, for gateways that carry audio by other means than RTP.
package struct AudioTap: Sendable {
  /// One Opus packet.
  package struct Packet: Sendable {
    package var opus: [UInt8]
    /// Time of its first sample, in samples at 48 kHz from 0.
    package var timestamp: Int64
  }

  let label: PeerLabel
  /// Packets as they arrive; ends with the tap. A slow reader loses the oldest.
  package let packets: AsyncStream<Packet>
  package let drops: TapDrops
}
