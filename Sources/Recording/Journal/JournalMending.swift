import Machines

/// Keeps frames back behind damage until the journal's copies have said what the damage took: which tracks there are, and
/// how to read their packets.
struct JournalMending {
  /// Copies come every second. Where none has come for so long, the journal has none: older releases wrote none.
  private static let patience = MonotonicTime.Span.seconds(3)

  private var frames: [JournalFrame] = []
  private var position = 0
  /// The tracks that were handed over, by number.
  private var known: [Int: JournalStream] = [:]
  /// The first frame behind the damage; nil without damage, or before the first frame.
  private var since: MonotonicTime?
  private var isDamaged = false

  /// The next frames may rest on what cannot be read.
  mutating func noteDamage() {
    (isDamaged, since) = (true, nil)
  }

  /// The next frame to hand over; nil where another must be taken first.
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

  /// Takes the journal's next frame.
  mutating func take(_ frame: JournalFrame) {
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
      if frame.time - first > JournalMending.patience { isDamaged = false }
    }
  }

  /// Hands over what is kept back: the journal has ended.
  mutating func give() {
    isDamaged = false
  }

  /// Says first what the frames that are kept back rest on.
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
