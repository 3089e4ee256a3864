import Machines

/// Holds back frames after damage until the journal's copies have supplied the lost information: the tracks and the
/// parameters of their streams.
struct JournalMending {
  /// Copies come every second. If none comes for this long, the journal is from an older release without copies.
  private static let patience = MonotonicTime.Span.seconds(3)

  private var frames: [JournalFrame] = []
  private var position = 0
  /// The tracks returned so far, by number.
  private var known: [Int: JournalStream] = [:]
  /// Time of the first frame after the damage; nil without damage, or before the first frame.
  private var since: MonotonicTime?
  private var isDamaged = false
  /// True until the first frame behind damage has come.
  private var isBehindDamage = false
  /// Time of the newest frame.
  private var newest: MonotonicTime?
  /// The times between which frames could not be read.
  private(set) var losses: [ClosedRange<MonotonicTime>] = []

  /// Records damage: the next frames may depend on unreadable ones.
  mutating func noteDamage() {
    (isDamaged, isBehindDamage, since) = (true, true, nil)
  }

  /// Returns the next frame; nil if another must be taken first.
  mutating func next() -> JournalFrame? {
    guard !isDamaged, position < frames.count else { return nil }
    let frame = frames[position]
    position += 1
    if position == frames.count {
      frames.removeAll(keepingCapacity: true)
      position = 0
    }
    switch frame {
    case .trackOpened(let number, let track, _): known[number] = track.stream
    case .streamChanged(let number, let stream, _): known[number] = stream
    default: break
    }
    return frame
  }

  /// Takes the next frame of the journal.
  mutating func take(_ frame: JournalFrame) {
    let before = newest ?? frame.time
    newest = max(before, frame.time)
    if isBehindDamage { losses.append(min(before, frame.time)...max(before, frame.time)) }
    isBehindDamage = false
    switch frame {
    case .trackRepeated(let number, let track, let opened, _):
      if isDamaged { mend(number, track, opened: opened) }
    case .headerRepeated:
      isDamaged = false
    default:
      frames.append(frame)
      guard isDamaged else { return }
      let first = since ?? frame.time
      since = first
      // in range: times saturate
      if frame.time - first > JournalMending.patience { isDamaged = false }
    }
  }

  /// Releases the frames held back: the journal has ended.
  mutating func give() {
    isDamaged = false
  }

  /// Supplies the information that the frames held back depend on.
  private mutating func mend(_ number: Int, _ track: JournalTrack, opened: MonotonicTime) {
    let saysItself = frames.contains { frame in
      switch frame {
      case .trackOpened(number, _, _), .streamChanged(number, _, _): true
      default: false
      }
    }
    guard !saysItself else { return }
    if let stream = known[number] {
      guard stream != track.stream else { return }
      frames.insert(.streamChanged(track: number, track.stream, at: since ?? opened), at: 0)
    } else {
      frames.insert(.trackOpened(track: number, track, at: opened), at: 0)
    }
  }
}
