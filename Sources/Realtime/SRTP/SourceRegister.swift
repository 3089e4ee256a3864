/// The SSRCs that have proved to hold the key: the newest of them, whose streams libsrtp keeps, and those before.
///
/// libsrtp makes a stream for every new authentic SSRC and never lets one go by itself, so a peer that changes its SSRC again
/// and again would fill memory and slow every look-up. With a stream its replay window goes too: hence how far a former
/// source had come is remembered, and only what lies beyond may open a stream for it again (RFC 3711 section 3.3.2). Nothing
/// is noted before authentication: strangers cost nothing.
struct SourceRegister {
  /// How far a source has come. What is at or below `least` came before its stream was let go.
  private struct Progress {
    var least: (rtp: Int, rtcp: Int) = (-1, -1)
    var highest: (rtp: Int, rtcp: Int) = (-1, -1)

    /// All numbers below one round more: of those nobody can tell any more to which round they belong.
    static let wrapped = 1 << 16

    mutating func note(rtp number: Int) {
      guard highest.rtp != Progress.wrapped else { return }
      let last = UInt16(truncatingIfNeeded: highest.rtp)
      if highest.rtp >= 0, number < highest.rtp, UInt16(truncatingIfNeeded: number) &- last < 0x8000 {
        // A new round: libsrtp knows it, and nothing of the last one would pass for it.
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
  /// Those that libsrtp keeps a stream for, the one that was heard last at the end.
  private var present: [Source] = []
  private var former: [UInt32: (progress: Progress, serial: Int)] = [:]
  /// Former ones in the order of their going; what came back since has another serial number.
  private var going: [(ssrc: UInt32, serial: Int)] = []
  private var serial = 0

  /// - Parameters:
  ///   - limit: sources with a stream.
  ///   - memory: former ones that are remembered.
  init(limit: Int, memory: Int) {
    self.limit = max(limit, 1)
    self.memory = max(memory, 1)
  }

  /// Sources with a stream.
  var count: Int { present.count }

  /// May this RTP packet be tried?
  func admits(rtp number: UInt16, of ssrc: UInt32) -> Bool {
    progress(of: ssrc).map { Int(number) > $0.least.rtp } ?? true
  }

  /// May this RTCP packet be tried?
  func admits(rtcp index: UInt32, of ssrc: UInt32) -> Bool {
    progress(of: ssrc).map { Int(index) > $0.least.rtcp } ?? true
  }

  /// An RTP packet was authentic; answers the source whose stream has to go for it.
  mutating func note(rtp number: UInt16, of ssrc: UInt32) -> UInt32? {
    note(ssrc) { $0.note(rtp: Int(number)) }
  }

  /// An RTCP packet was authentic; answers the source whose stream has to go for it.
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
    // Half of them at once, so that the others are not moved for every one.
    for (ssrc, serial) in going.prefix(memory / 2 + 1) where former[ssrc]?.serial == serial { former[ssrc] = nil }
    going.removeFirst(memory / 2 + 1)
  }
}
