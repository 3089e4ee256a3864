/// The SSRCs that have proved to hold the key, at most a handful.
///
/// libsrtp makes a stream for every new authentic SSRC and never forgets one, so a peer that counts its SSRC up would
/// fill memory and slow every look-up. A slot is taken only after authentication: a stranger cannot use the slots up.
struct SourceLimit {
  private(set) var sources: [UInt32] = []
  let limit: Int

  init(limit: Int) {
    self.limit = limit
    sources.reserveCapacity(limit)
  }

  /// May this source try?
  func admits(_ ssrc: UInt32) -> Bool {
    sources.count < limit || sources.contains(ssrc)
  }

  /// Its packet was authentic.
  mutating func confirm(_ ssrc: UInt32) {
    if sources.last == ssrc || sources.contains(ssrc) { return }
    if sources.count < limit { sources.append(ssrc) }
  }
}
