import Machines

/// What one connection has carried, lost and refused so far.
package struct PeerStatistics: Sendable, Hashable {
  /// New RTP packets received and their payload bytes.
  package var receivedPackets: Int64 = 0
  package var receivedBytes: Int64 = 0
  /// Packets that are missing now; a repair takes one off again.
  package var lost: Int64 = 0
  /// Packets that came because we asked for them again.
  package var repaired: Int64 = 0
  /// Holes that are still hoped for.
  package var openHoles = 0
  /// Requests for missing packets that we sent, repeats included.
  package var requests = 0
  package var duplicates: Int64 = 0
  /// Interarrival jitter of the stream that jitters most (RFC 3550 §6.4.1).
  package var jitter: MonotonicTime.Span = .zero
  /// How often the other side changed or added an SSRC, or began its sequence numbers anew.
  package var sourceChanges = 0

  /// RTP packets sent, repeats left out, and their bytes before encryption.
  package var sentPackets: Int64 = 0
  package var sentBytes: Int64 = 0
  /// Packets that the other side asked for again and got.
  package var repeated = 0
  /// Share of our packets that the other side last reported lost, 0...1; nil before its first report.
  package var remoteLoss: Double?

  /// Smoothed round trip, nil before the first measurement.
  package var roundTrip: MonotonicTime.Span?
  /// What was dropped, and why.
  package var refusals = RefusalCounts()

  package init() {}
}

extension PeerSession {
  /// What the session has carried, lost and refused so far.
  package var statistics: PeerStatistics {
    var statistics = PeerStatistics()
    var totals = incoming.retired
    for stream in incoming.streams {
      totals.add(stream)
      statistics.openHoles &+= stream.nacks.openHoles
      statistics.jitter = max(statistics.jitter, stream.statistics.jitterSpan)
    }
    statistics.receivedPackets = totals.packets
    statistics.receivedBytes = totals.payloadBytes
    statistics.lost = totals.lost
    statistics.repaired = totals.repairs
    statistics.duplicates = totals.duplicates
    statistics.requests = totals.requests
    statistics.sourceChanges = incoming.sourceChanges &+ totals.restarts
    statistics.sentPackets = sentPackets
    statistics.sentBytes = sentBytes
    statistics.repeated = history?.counts.repeated ?? 0
    statistics.remoteLoss = reports.remoteBlock.map { Double($0.fractionLost) / 256 }
    statistics.roundTrip = reports.roundTrip
    statistics.refusals = path.refusals
    return statistics
  }

  /// Packets are missing that may still come; a take that ends now would better wait a moment.
  package var hasOpenHoles: Bool { incoming.isHoping }
}

/// How many datagrams were dropped, and why; hostile traffic is counted, not logged.
package struct RefusalCounts: Sendable, Hashable {
  /// Neither DTLS nor RTP nor RTCP by its first bytes, or empty.
  package var garbage = 0
  /// DTLS or media that came before the path or the keys were there, beyond what is kept for later; or after the end.
  package var outOfSeason = 0
  /// The authentication tag was wrong.
  package var notAuthentic = 0
  /// Seen before, or too old to tell.
  package var replayed = 0
  /// Too short, too long, or with lengths inside that reach beyond the end.
  package var malformed = 0

  /// Well formed and authentic, but not agreed on: media on a connection that only sends, or, where the source was
  /// fixed beforehand, another one.
  package var unwanted = 0

  package init() {}

  /// SRTP packets that were not opened.
  package var unprotectFailures: Int { notAuthentic + replayed + malformed }

  /// Everything that was dropped.
  package var total: Int { garbage + outOfSeason + unprotectFailures + unwanted }

  mutating func count(_ error: SRTPError) {
    switch error {
    case .notAuthentic: notAuthentic += 1
    case .replayed, .tooOld: replayed += 1
    case .malformed, .oversized, .library: malformed += 1
    }
  }
}
