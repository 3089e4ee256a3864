/// The SSRCs that have proved to hold the key: the newest, for which libsrtp keeps streams, and former ones.
///
/// libsrtp creates a stream for every new authentic SSRC and never releases it, so a peer that keeps changing its
/// SSRC would fill memory and slow down lookups. Releasing a stream also discards its replay window. The progress of
/// former sources is therefore remembered, and only later packets may reopen a stream (RFC 3711 section 3.3.2).
/// Nothing is recorded before authentication, so strangers cost nothing.
struct SourceRegister {
  /// The progress of a source. Numbers up to `least` came before its stream was released.
  private struct Progress {
    var least: (rtp: Int, rtcp: Int) = (-1, -1)
    var highest: (rtp: Int, rtcp: Int) = (-1, -1)

    /// Marks a source whose numbers have wrapped: their rollover counter is no longer known.
    static let wrapped = 1 << 16

    mutating func note(rtp number: Int) {
      guard highest.rtp != Progress.wrapped else { return }
      let last = UInt16(truncatingIfNeeded: highest.rtp)
      if highest.rtp >= 0, number < highest.rtp, UInt16(truncatingIfNeeded: number) &- last < 0x8000 {
        // After a wrap, libsrtp knows the rollover counter, so packets from before it fail authentication.
        (highest.rtp, least.rtp) = (Progress.wrapped, -1)
      } else {
        highest.rtp = max(highest.rtp, number)
      }
    }
  }

  private struct Source {
    var ssrc: UInt32
    var progress: Progress
  }

  private let limit: Int
  private let memory: Int
  /// The sources with a libsrtp stream, most recently heard last.
  private var present: [Source] = []
  private var former: [UInt32: (progress: Progress, serial: Int)] = [:]
  /// Former sources in order of retirement; a source that has returned since has another serial number.
  private var going: [(ssrc: UInt32, serial: Int)] = []
  private var serial = 0

  /// - Parameters:
  ///   - limit: maximum number of sources with a stream.
  ///   - memory: maximum number of former sources remembered.
  init(limit: Int, memory: Int) {
    self.limit = max(limit, 1)
    self.memory = max(memory, 1)
  }

  /// Number of sources with a stream.
  var count: Int { present.count }

  /// True if this RTP packet may be decrypted.
  func admits(rtp number: UInt16, of ssrc: UInt32) -> Bool {
    progress(of: ssrc).map { Int(number) > $0.least.rtp } ?? true
  }

  /// True if this RTCP packet may be decrypted.
  func admits(rtcp index: UInt32, of ssrc: UInt32) -> Bool {
    progress(of: ssrc).map { Int(index) > $0.least.rtcp } ?? true
  }

  /// Records an authentic RTP packet; returns the source whose stream must be released for it.
  mutating func note(rtp number: UInt16, of ssrc: UInt32) -> UInt32? {
    note(ssrc) { $0.note(rtp: Int(number)) }
  }

  /// Records an authentic RTCP packet; returns the source whose stream must be released for it.
  mutating func note(rtcp index: UInt32, of ssrc: UInt32) -> UInt32? {
    note(ssrc) { $0.highest.rtcp = max($0.highest.rtcp, Int(index)) }
  }

  private func progress(of ssrc: UInt32) -> Progress? {
    present.last { $0.ssrc == ssrc }?.progress ?? former[ssrc]?.progress
  }

  private mutating func note(_ ssrc: UInt32, _ body: (inout Progress) -> Void) -> UInt32? {
    if let index = present.lastIndex(where: { $0.ssrc == ssrc }) {
      body(&present[index].progress)
      if index < present.count - 1 { present.append(present.remove(at: index)) }
      return nil
    }
    var source = Source(ssrc: ssrc, progress: former.removeValue(forKey: ssrc)?.progress ?? Progress())
    body(&source.progress)
    let retired = present.count < limit ? nil : present.removeFirst()
    present.append(source)
    if let retired { remember(retired) }
    return retired?.ssrc
  }

  private mutating func remember(_ source: Source) {
    var progress = source.progress
    progress.least = progress.highest
    serial += 1
    former[source.ssrc] = (progress, serial)
    going.append((source.ssrc, serial))
    guard going.count > memory else { return }
    // Half are dropped at once, so that the array does not shift for each one.
    for (ssrc, serial) in going.prefix(memory / 2 + 1) where former[ssrc]?.serial == serial { former[ssrc] = nil }
    going.removeFirst(memory / 2 + 1)
  }
}
