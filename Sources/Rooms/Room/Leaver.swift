import Machines
import Music
import Realtime
import Signaling

/// A musician's connection that stands on when they have left, until what is on its way or missing of their last seconds has
/// come.
///
/// Only the takes know of it: for everybody else the musician is gone.
final class Leaver {
  /// Nobody sends packets again that are older, so nobody waits longer.
  private static let patience = NackScheduler.Configuration.longestWindow

  /// What was sent last may be so long on its way when the word that they leave is here.
  private static let transit = MonotonicTime.Span.milliseconds(100)

  let participant: ParticipantID
  let publication: Publication
  private let left: MonotonicTime
  /// When all that they sent is here, or known to be missing.
  private let settled: MonotonicTime
  /// When it is over at the latest.
  let deadline: MonotonicTime
  /// Those who wait for the connection's end.
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// Tells when the others would have come without loss and waiting.
  private let quickest: ReceivedPacket?
  /// What arrives later was played after they had left.
  private let farewell: MonotonicTime

  init(_ publication: Publication, of participant: ParticipantID, at now: MonotonicTime) {
    self.publication = publication
    self.participant = participant
    quickest = publication.quickest
    left = now
    settled = now + Leaver.transit
    deadline = now + Leaver.patience
    farewell = now + RoomActor.tail
  }

  /// When a packet came, or would have come without its loss; nil where it was played after they had left.
  func time(of packet: ReceivedPacket) -> MonotonicTime? {
    guard let time = quickest?.arrival(of: packet) else {
      return packet.isRepair || packet.arrival <= farewell ? packet.arrival : nil
    }
    return time <= farewell ? time : nil
  }

  /// True while it may bring what a take lacks.
  func isAwaited(at now: MonotonicTime) -> Bool {
    guard !publication.captures.isEmpty, publication.peer.state == .connected else { return false }
    return now < settled || (now < deadline && publication.peer.hasOpenHoles)
  }

  /// Returns when the connection has been closed.
  func waitForEnd(isolation: isolated (any Actor)? = #isolation) async {
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Closes the musician's track in those of its takes that `isMeant` says: what comes after is no gap.
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
