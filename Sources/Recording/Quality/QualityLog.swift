import Machines
import Music

/// The readings of quality in a take's journal, by track, until the take's length is known.
struct QualityLog: Codable {
  /// Most rows of a track: two days of them. What an altered journal has beyond these is left out.
  private static let maximum = 57_600

  struct Entry {
    /// Sample of the take at which the reading was made.
    var end: Int64
    var reading: QualityReading
  }

  private var entries: [Int: Entry.List] = [:]

  mutating func note(_ reading: QualityReading, track: Int, at end: Int64) {
    guard entries[track, default: Entry.List()].entries.count < QualityLog.maximum else { return }
    entries[track, default: Entry.List()].entries.append(Entry(end: end, reading: reading))
  }

  /// The rows of a track in a take of `length` samples: in order, none over another.
  func rows(of track: Int, gaps: [Gap], until length: Int64) -> [QualityRow] {
    var rows: [QualityRow] = []
    var rest = gaps[...]
    for entry in entries[track]?.entries ?? [] {
      let span = Int64(saturating: entry.reading.duration * SenderClock.rate)
      let start = max(entry.end &- max(0, span), rows.last?.end.samples ?? 0, 0)
      let end = min(entry.end, length)
      guard start < end else { continue }
      // Rows and gaps are in order; a track may have thousands of both.
      while let first = rest.first, first.start.samples &+ first.length.samples <= start { rest.removeFirst() }
      let row = QualityRow(start: SamplePosition(start), end: SamplePosition(end), reading: entry.reading)
      rows.append(row.counting(rest.prefix { $0.start.samples < end }))
    }
    return rows
  }
}
