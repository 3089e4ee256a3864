import Machines
import Music
import Realtime
import Signaling

/// A departed musician's connection, kept until the packets of their last seconds have arrived or are known to be
/// lost.
///
/// Only takes use it: for everyone else, the musician has left.
final class Leaver {
  /// Nobody retransmits older packets, so waiting longer is pointless.
  private static let patience = NackScheduler.Configuration.longestWindow

  /// Transit time of the last packets, which may arrive after the report that the musician left.
  private static let transit = MonotonicTime.Span.milliseconds(100)

  let participant: ParticipantID
  let publication: Publication
  /// The door by which they had come in.
  let door: Authorisation.Door
  /// True if a moderator had silenced them: what arrives late is silent too.
  private let isMuted: Bool
  /// True if they left while they talked.
  private let isTalking: Bool
  private let left: MonotonicTime
  /// When all packets are expected to have arrived or to be known as missing.
  private let settled: MonotonicTime
  /// When the wait ends at the latest.
  let deadline: MonotonicTime
  /// Tasks waiting for the end of the connection.
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// Reference for when other packets would have arrived without loss or queueing.
  private let quickest: ReceivedPacket?
  /// Packets that arrive later were played after the musician left.
  private let farewell: MonotonicTime

  init(
    _ publication: Publication, of participant: ParticipantID, by door: Authorisation.Door, isMuted: Bool,
    isTalking: Bool, at now: MonotonicTime
  ) {
    self.publication = publication
    self.door = door
    self.participant = participant
    self.isMuted = isMuted
    self.isTalking = isTalking
    quickest = publication.quickest
    left = now
    // A path that nobody has measured may be as long as any.
    settled = now + (publication.peer.statistics?.roundTrip == nil ? RoomActor.tail : Leaver.transit)
    deadline = now + Leaver.patience
    farewell = now + RoomActor.tail
  }

  /// When a packet arrived, or would have arrived without its loss; nil if it was played after the musician left.
  func time(of packet: ReceivedPacket) -> MonotonicTime? {
    guard let time = quickest?.arrival(of: packet) else {
      return packet.isRepair || packet.arrival <= farewell ? packet.arrival : nil
    }
    return time <= farewell ? time : nil
  }

  /// The packet as the takes get it; nil if it cannot be silenced.
  func audible(_ packet: ReceivedPacket) -> ReceivedPacket? {
    let isTalk = publication.talk.covers(packet.extendedSequence, isTalking: isTalking)
    return isMuted || isTalk ? packet.silenced(as: publication.peer.incoming) : packet
  }

  /// True while it may deliver packets that a take lacks.
  func isAwaited(at now: MonotonicTime) -> Bool {
    guard !publication.captures.isEmpty, publication.peer.state == .connected else { return false }
    return now < settled || (now < deadline && publication.peer.hasOpenHoles)
  }

  /// Waits until the connection has been closed.
  func waitForEnd(isolation: isolated (any Actor)? = #isolation) async {
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Closes the musician's track in the takes selected by `isMeant`, so that later silence is not a gap.
  func closeTracks(in isMeant: (Capture) -> Bool = { _ in true }) {
    publication.closeTracks(at: left, in: isMeant)
  }

  /// Closes the connection.
  func end() {
    closeTracks()
    publication.peer.close()
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}
