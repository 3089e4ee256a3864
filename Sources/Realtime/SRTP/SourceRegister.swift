/// The SSRCs that have proved to hold the key: the newest, with their replay windows, and former ones.
///
/// A peer that keeps changing its SSRC must not fill memory or slow down lookups, so the source that was silent for
/// longest loses its windows. How far it had got is remembered, and only later packets are taken from it afterwards
/// (RFC 3711 section 3.3.2). Nothing is recorded before authentication, so strangers cost nothing.
struct SourceRegister {
  private struct Source {
    let ssrc: UInt32
    /// Indices of RTP packets: a retransmission may come 3 s late, which is 300 packets of 10 ms, or 1200 of 2.5 ms; the
    /// usual 128 would lose them.
    var media = SequenceWindow<32>()
    /// Indices of RTCP compounds.
    var reports = SequenceWindow<2>()
    /// When it was heard last, counted in packets.
    var heard: UInt64 = 0
  }

  private struct Progress {
    let media: Int64?
    let reports: Int64?
    let serial: Int
  }

  private let limit: Int
  private let memory: Int
  private var present: [Source] = []
  /// Where the last one was found, which is mostly the next one.
  private var latest = 0
  private var clock: UInt64 = 0
  private var former: [UInt32: Progress] = [:]
  /// Former sources in order of retirement; a source that has returned since has another serial number.
  private var going: [(ssrc: UInt32, serial: Int)] = []
  private var serial = 0

  /// - Parameters:
  ///   - limit: maximum number of sources with replay windows.
  ///   - memory: maximum number of former sources remembered.
  init(limit: Int, memory: Int) {
    self.limit = max(limit, 1)
    self.memory = max(memory, 1)
  }

  /// Number of sources with replay windows.
  var count: Int { present.count }

  /// The index of an RTP packet; throws if it was received before, or may have been.
  mutating func admit(rtp number: UInt16, of ssrc: UInt32) throws(SRTPError) -> Int64 {
    guard let place = find(ssrc) else {
      let window = SequenceWindow<32>(after: former[ssrc]?.media)
      return try Self.admit(PacketIndex.guess(number, highest: window.highest), to: window)
    }
    return try Self.admit(
      PacketIndex.guess(number, highest: present[place].media.highest), to: present[place].media)
  }

  /// Throws if this RTCP compound was received before, or may have been.
  mutating func admit(rtcp index: Int64, of ssrc: UInt32) throws(SRTPError) {
    guard let place = find(ssrc) else {
      _ = try Self.admit(index, to: SequenceWindow<2>(after: former[ssrc]?.reports))
      return
    }
    _ = try Self.admit(index, to: present[place].reports)
  }

  /// Records an RTP packet that was admitted and is authentic.
  mutating func note(rtp index: Int64, of ssrc: UInt32) {
    present[welcome(ssrc)].media.insert(index)
  }

  /// Records an RTCP compound that was admitted and is authentic.
  mutating func note(rtcp index: Int64, of ssrc: UInt32) {
    present[welcome(ssrc)].reports.insert(index)
  }

  private static func admit<let words: Int>(
    _ index: Int64, to window: borrowing SequenceWindow<words>
  ) throws(SRTPError) -> Int64 {
    switch window.verdict(on: index) {
    case .new where index <= PacketIndex.last: return index
    case .new: throw .exhausted
    case .duplicate: throw .replayed
    case .tooOld: throw .tooOld
    }
  }

  private mutating func find(_ ssrc: UInt32) -> Int? {
    if latest < present.count, present[latest].ssrc == ssrc { return latest }
    guard let place = present.firstIndex(where: { $0.ssrc == ssrc }) else { return nil }
    latest = place
    return place
  }

  /// The place of a source that was heard, which is made if it has none.
  private mutating func welcome(_ ssrc: UInt32) -> Int {
    let place = find(ssrc) ?? makePlace(for: ssrc)
    clock &+= 1
    present[place].heard = clock
    return place
  }

  private mutating func makePlace(for ssrc: UInt32) -> Int {
    var source = Source(ssrc: ssrc)
    if let progress = former.removeValue(forKey: ssrc) {
      source.media = SequenceWindow(after: progress.media)
      source.reports = SequenceWindow(after: progress.reports)
    }
    guard present.count >= limit, let silent = present.indices.min(by: { present[$0].heard < present[$1].heard })
    else {
      present.append(source)
      return present.count - 1
    }
    remember(present[silent])
    present[silent] = source
    return silent
  }

  private mutating func remember(_ source: Source) {
    serial += 1
    former[source.ssrc] = Progress(media: source.media.highest, reports: source.reports.highest, serial: serial)
    going.append((source.ssrc, serial))
    guard going.count > memory else { return }
    // Half are dropped at once, so that the array does not shift for each one.
    for (ssrc, serial) in going.prefix(memory / 2 + 1) where former[ssrc]?.serial == serial { former[ssrc] = nil }
    going.removeFirst(memory / 2 + 1)
  }
}
