import Machines

/// Counters of one connection: packets carried, lost and refused.
package struct PeerStatistics: Sendable, Hashable {
  /// New RTP packets received, and their payload bytes.
  package var receivedPackets: Int64 = 0
  package var receivedBytes: Int64 = 0
  /// Packets currently missing; a retransmission reduces the count.
  package var lost: Int64 = 0
  /// Packets received because we requested them again.
  package var repaired: Int64 = 0
  /// Missing packets that may still arrive.
  package var openHoles = 0
  /// Requests for missing packets sent, including repetitions.
  package var requests = 0
  package var duplicates: Int64 = 0
  /// Interarrival jitter of the stream with the most jitter (RFC 3550 §6.4.1).
  package var jitter: MonotonicTime.Span = .zero
  /// How often the peer changed or added an SSRC, or restarted its sequence numbers.
  package var sourceChanges = 0

  /// RTP packets sent, excluding retransmissions, and their bytes before encryption.
  package var sentPackets: Int64 = 0
  package var sentBytes: Int64 = 0
  /// Packets retransmitted at the peer's request.
  package var repeated = 0
  /// Fraction of our packets last reported lost by the peer, 0...1; nil before its first report.
  package var remoteLoss: Double?

  /// Smoothed round trip; nil before the first measurement.
  package var roundTrip: MonotonicTime.Span?
  /// Counts of dropped datagrams.
  package var refusals = RefusalCounts()

  package init() {}
}

extension PeerSession {
  /// The counters of the session so far.
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

  /// True if missing packets may still arrive; a take that ends now should wait a moment.
  package var hasOpenHoles: Bool { incoming.isHoping }
}

/// Counts of dropped datagrams by reason; hostile traffic is counted rather than logged.
package struct RefusalCounts: Sendable, Hashable {
  /// Empty, or neither DTLS, RTP nor RTCP by its first bytes.
  package var garbage = 0
  /// DTLS or media that exceeded the buffer before the path or the keys were available, or that came after the end.
  package var outOfSeason = 0
  /// Wrong authentication tag.
  package var notAuthentic = 0
  /// Already received, or too old to tell.
  package var replayed = 0
  /// Too short, too long, or with inner lengths beyond the end.
  package var malformed = 0

  /// Well formed and authentic, but not negotiated: media on a send-only connection, or from another source than the
  /// one configured.
  package var unwanted = 0

  package init() {}

  /// SRTP packets that could not be decrypted.
  package var unprotectFailures: Int { notAuthentic + replayed + malformed }

  /// All dropped datagrams.
  package var total: Int { garbage + outOfSeason + unprotectFailures + unwanted }

  mutating func count(_ error: SRTPError) {
    switch error {
    case .notAuthentic: notAuthentic += 1
    case .replayed, .tooOld: replayed += 1
    case .malformed, .oversized, .unencrypted, .exhausted, .library: malformed += 1
    }
  }
}
