import Realtime

/// The blocks of a musician in which the reports that came in time show every drop: the certificate must not say of
/// them that a drop there would not show.
struct ReportedBlocks {
  /// Between the first report and the last one of each stream, block numbers.
  private var ranges: [UInt32: ClosedRange<Int>] = [:]
  private let score: MusicianScore
  /// So many blocks at the edges may be called unseen.
  private let slack: Int

  /// A report may overtake packets, and be overtaken, by so much: two packets and what the recorder calls the quickest
  /// one, in seconds.
  private static let grain = 0.1
  /// The most that a path overtakes, in seconds.
  private static let reordering = 0.06

  /// - Parameters:
  ///   - journaled: the reports that the recorder keeps, by the times that they tell. A report that reaches an input while
  ///     it is being closed need not be among them.
  ///   - begin: the scenario's, in nanoseconds of `LaboratoryClock`.
  ///   - end: the take's on that clock.
  init(
    musician: RealMusician, score: MusicianScore, record: MusicianPlayer.Record, journaled: Set<NTPTime>, begin: Int64,
    end: Int64
  ) {
    self.score = score
    let path = musician.path
    let reports = musician.reports ?? RealMusician.Reports()
    let delay = path.jitter + path.wander + Double(record.greatestLateness) / 1e9 + ReportedBlocks.grain
    slack = Int(((delay + ReportedBlocks.reordering + abs(reports.lead)) * 50).rounded(.up))
    for telling in record.told where telling.delivered < end && journaled.contains(telling.wallClock) {
      // What a path held says little of the time at which it was sent.
      let way = Double(telling.delivered - begin) / 1e9 - telling.time
      guard way < path.up + reports.lateness + delay else { continue }
      let known = ranges[telling.source] ?? telling.block...telling.block
      ranges[telling.source] = min(known.lowerBound, telling.block)...max(known.upperBound, telling.block)
    }
  }

  func contains(_ number: Int) -> Bool {
    guard let source = score.blocks[number].packet?.source, let range = ranges[source] else { return false }
    return number >= range.lowerBound + slack && number <= range.upperBound - slack
  }
}
