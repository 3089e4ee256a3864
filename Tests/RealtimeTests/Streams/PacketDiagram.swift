import Machines
import Testing

@testable import Realtime

/// The small language of reorder tests: a line of arrivals above the line of what must be released.
///
/// Columns are 20 ms apart. `3` is a packet, `2:4` are the packets 2, 3 and 4, `5-6!` says that 5 and 6 are declared
/// lost, `.` is a column in which nothing happens. A loss shares the column of what follows it, and
/// a comma joins whatever else shares one.
struct PacketDiagram {
  static let column = MonotonicTime.Span.milliseconds(20)

  struct Mistake: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs `arrivals` through a buffer and gives what came out, in the diagram's own words.
  static func run(_ arrivals: String, window: MonotonicTime.Span, capacity: Int) throws -> [[String]] {
    var buffer = ReorderBuffer<Int64>(window: window, capacity: capacity)
    var columns: [[String]] = []
    for (index, token) in arrivals.split(separator: " ").enumerated() {
      let now = MonotonicTime(nanoseconds: column.nanoseconds * Int64(index))
      if token != "." {
        guard let number = Int64(token) else { throw Mistake(description: "\(token) is no arrival") }
        buffer.put(number, number, at: now)
      }
      // What arrives at the very deadline is still in time.
      buffer.advance(to: now)
      columns.append(words(drain(&buffer)))
    }
    return columns
  }

  /// What the line of releases says, column by column.
  static func expectation(_ releases: String) -> [[String]] {
    var columns: [[String]] = []
    var losses: [String] = []
    for token in releases.split(separator: " ").map(String.init) {
      if token.hasSuffix("!") {
        losses.append(token)
      } else {
        columns.append(losses + (token == "." ? [] : token.split(separator: ",").map(String.init)))
        losses = []
      }
    }
    return losses.isEmpty ? columns : columns + [losses]
  }

  private static func drain(_ buffer: inout ReorderBuffer<Int64>) -> [ReorderBuffer<Int64>.Release] {
    var releases: [ReorderBuffer<Int64>.Release] = []
    while let release = buffer.next() { releases.append(release) }
    return releases
  }

  private static func words(_ releases: [ReorderBuffer<Int64>.Release]) -> [String] {
    var words: [String] = []
    var run: ClosedRange<Int64>?
    func close() {
      if let run { words.append(run.count == 1 ? "\(run.lowerBound)" : "\(run.lowerBound):\(run.upperBound)") }
      run = nil
    }
    for release in releases {
      switch release {
      case .element(let number, _):
        if let open = run, open.upperBound + 1 == number {
          run = open.lowerBound...number
        } else {
          close()
          run = number...number
        }
      case .lost(let range):
        close()
        words.append(range.count == 1 ? "\(range.lowerBound)!" : "\(range.lowerBound)-\(range.upperBound)!")
      }
    }
    close()
    return words
  }
}

/// Checks a diagram of two lines: arrivals, releases.
func diagram(
  window: MonotonicTime.Span, capacity: Int = 512, sourceLocation: SourceLocation = #_sourceLocation,
  _ lines: () -> (String, String)
) throws {
  let (arrivals, releases) = lines()
  var seen = try PacketDiagram.run(arrivals, window: window, capacity: capacity)
  var expected = PacketDiagram.expectation(releases)
  while seen.last?.isEmpty == true { seen.removeLast() }
  while expected.last?.isEmpty == true { expected.removeLast() }
  #expect(seen == expected, sourceLocation: sourceLocation)
}
