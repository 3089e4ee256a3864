import Music

/// The backing tracks that a room hears while a take rolls, from the journal's frames to stretches of the take.
struct BackingLog: Codable {
  /// Most stretches listed: somebody who seeks all evening fills no manifest.
  private static let maximum = 4_096

  private var done: [BackedStretch] = []
  /// What is heard, to its own end.
  private var open: BackedStretch?

  /// Notes a frame.
  /// - Parameters:
  ///   - begins: sample of the take at which `backing` is heard from `backing.from` on; before the take's zero for one
  ///     that was heard already.
  ///   - now: sample of the take at which the room was told.
  mutating func note(_ backing: JournalBacking?, begins: Int64, at now: Int64) {
    close(at: now)
    guard let backing, backing.from < backing.length else { return }
    let skipped = max(0, 0 &- begins)
    let from = backing.from.addingReportingOverflow(skipped).partialValue
    guard from >= backing.from, from < backing.length else { return }
    open = BackedStretch(
      backing: backing.id, title: backing.title, start: SamplePosition(max(0, begins)), from: SamplePosition(from),
      length: SamplePosition(backing.length - from))
  }

  /// The stretches of a take of `length` samples.
  func stretches(until length: Int64) -> [BackedStretch] {
    var log = self
    log.close(at: length)
    return log.done
  }

  private mutating func close(at end: Int64) {
    guard var stretch = open else { return }
    open = nil
    stretch.length = SamplePosition(min(stretch.length.samples, end - stretch.start.samples))
    if stretch.length > .zero, done.count < BackingLog.maximum { done.append(stretch) }
  }
}
