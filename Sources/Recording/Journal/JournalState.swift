import Machines

/// What a journal's reader must know beforehand to understand the frames of a moment: the header, and each track, closed ones too:
/// they may be taken up again.
struct JournalState: Sendable {
  /// Times between two copies: nobody waits longer for one.
  private static let interval = MonotonicTime.Span.seconds(1)
  /// A change is repeated after this time: not at once, because what damages the one would damage the other.
  private static let distance = MonotonicTime.Span.milliseconds(250)

  private let header: JournalHeader
  private var tracks: [Int: (track: JournalTrack, opened: MonotonicTime)] = [:]
  private var due: MonotonicTime

  init(header: JournalHeader) {
    self.header = header
    due = header.zero + JournalState.distance
  }

  mutating func note(_ frame: JournalFrame) {
    switch frame {
    case .trackOpened(let number, let track, let time): tracks[number] = (track, time)
    case .streamChanged(let number, let stream, _): tracks[number]?.track.stream = stream
    default: return
    }
    due = min(due, frame.time + JournalState.distance)
  }

  /// The copies to write at `time`, the header's last; nothing where none are due.
  mutating func takeDue(at time: MonotonicTime) -> [JournalFrame] {
    guard time >= due else { return [] }
    due = time + JournalState.interval
    return tracks.sorted { $0.key < $1.key }.map { number, entry in
      .trackRepeated(track: number, entry.track, opened: entry.opened, at: time)
    } + [.headerRepeated(header, at: time)]
  }
}
