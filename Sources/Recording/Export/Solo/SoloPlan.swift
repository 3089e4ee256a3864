import Machines
import Music

/// Where the tracks of one musician lie in a file of a whole session: takes one after the other, silence between them.
///
/// Pure. Distances come from the recorder's monotonic clock where both journals are there and of one run of the machine,
/// otherwise from the wall clock of the takes' beginnings.
package struct SoloPlan: Hashable, Sendable {
  /// A take of the session with a track of the musician.
  package struct Part: Hashable, Sendable {
    package var take: TakeID
    package var startedAt: WallTime
    /// The take's zero on the recorder's clock; nil without a journal.
    package var zero: MonotonicTime?
    package var length: SamplePosition

    package init(take: TakeID, startedAt: WallTime, zero: MonotonicTime?, length: SamplePosition) {
      (self.take, self.startedAt, self.zero, self.length) = (take, startedAt, zero, length)
    }
  }

  /// A take's place in the file.
  package struct Placed: Hashable, Sendable {
    package var take: TakeID
    package var start: SamplePosition
    package var length: SamplePosition
  }

  /// Takes closer than this follow each other without a sample between, as after a split.
  package static let adjacent = MonotonicTime.Span.milliseconds(20)
  /// How far the two clocks may disagree about takes of one run of the machine.
  private static let disagreement = 2.0
  /// Longest file.
  package static let longest = SamplePosition(24 * 3_600 * SamplePosition.rate)

  /// In order of time; they do not overlap.
  package let placed: [Placed]
  package let length: SamplePosition

  /// - Parameter parts: in any order.
  /// - Throws: `SoloProblem` without parts, or for a session that is too long for one file.
  package init(_ parts: [Part]) throws(SoloProblem) {
    let sorted = parts.sorted { $0.startedAt < $1.startedAt }
    guard let first = sorted.first else { throw SoloProblem.noParts }
    var placed: [Placed] = []
    var end = SamplePosition.zero
    for part in sorted {
      let distance = SoloPlan.distance(from: first, to: part)
      // Rounded clocks may say a little less than the length of what came before.
      let gap = distance.samples.subtractingReportingOverflow(end.samples)
      let isApart = !gap.overflow && gap.partialValue > Int64(SoloPlan.adjacent.seconds * Double(SamplePosition.rate))
      let start = placed.isEmpty ? .zero : isApart ? distance : end
      let (last, overflow) = start.samples.addingReportingOverflow(part.length.samples)
      guard !overflow, part.length >= .zero, last <= SoloPlan.longest.samples else { throw SoloProblem.tooLong }
      placed.append(Placed(take: part.take, start: start, length: part.length))
      end = SamplePosition(last)
    }
    self.placed = placed
    length = end
  }

  private static func distance(from first: Part, to part: Part) -> SamplePosition {
    let wall = (part.startedAt - first.startedAt) / .seconds(1)
    var seconds = wall
    if let zero = first.zero, let other = part.zero {
      let exact = (other - zero).seconds
      if abs(exact - wall) <= disagreement { seconds = exact }
    }
    return SamplePosition(Int64(saturating: (seconds * Double(SamplePosition.rate)).rounded()))
  }
}

/// The reason why there is no solo file.
package enum SoloProblem: Error, Hashable, Sendable, CustomStringConvertible {
  case noParts
  case tooLong
  /// Two musicians of the session have that name.
  case ambiguous(String)
  case unknown(String, present: [String])

  package var description: String {
    switch self {
    case .noParts: "the session has no finished take with a track of that musician"
    case .tooLong:
      "the takes lie more than \(SoloPlan.longest.samples / SamplePosition.rate / 3_600) hours apart, which one file cannot "
        + "hold; export the takes"
    case .ambiguous(let name): "two musicians of the session are called \"\(name)\"; give the participant's id"
    case .unknown(let name, let present):
      "nobody called \"\(name)\" is in the session's finished takes; there are \(present.joined(separator: ", "))"
    }
  }
}
