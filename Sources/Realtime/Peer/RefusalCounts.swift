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
