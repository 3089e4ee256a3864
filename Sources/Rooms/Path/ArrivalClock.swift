import Machines

/// Turns the kernel's stamps of a socket's datagrams, which are civil time, into times of the recorder's own clock.
///
/// A datagram came when the network brought it, and not when the recorder was free to read it: a busy machine, and a
/// service that was stopped for seconds, would otherwise look like a delay of the path.
struct ArrivalClock: Sendable {
  /// Both clocks, read together.
  struct Reading: Hashable, Sendable {
    var monotonic: MonotonicTime
    /// Nanoseconds of civil time since 1970.
    var civil: Int64

    /// Civil time when the monotonic clock began.
    fileprivate var offset: Int64 { civil &- monotonic.nanoseconds }
  }

  /// By how much civil time may run apart between two readings without having been set, in nanoseconds: both clocks are
  /// disciplined alike, and a reading can be interrupted between the two.
  private static let greatestWander: Int64 = 1_000_000

  private var last: Reading?
  /// The relation that held before civil time was set, as long as datagrams of that time may wait.
  private var formerOffset: Int64?
  private var lastArrival: MonotonicTime?

  /// When a datagram with this `stamp` (nanoseconds of civil time, 0 for none) came: never after
  /// `reading`, which is made behind it, and never before one that was read earlier.
  mutating func arrival(stamp: Int64, reading: Reading) -> MonotonicTime {
    if let last, abs(reading.offset &- last.offset) > ArrivalClock.greatestWander, formerOffset == nil {
      formerOffset = last.offset
    }
    last = reading
    let earliest = lastArrival ?? MonotonicTime(nanoseconds: .min)
    let arrival = time(of: stamp, by: reading, notBefore: earliest)
    lastArrival = max(earliest, arrival)
    return max(earliest, arrival)
  }

  private mutating func time(
    of stamp: Int64, by reading: Reading, notBefore earliest: MonotonicTime
  ) -> MonotonicTime {
    let now = reading.monotonic
    guard stamp > 0 else { return now }
    let plain = MonotonicTime(nanoseconds: stamp &- reading.offset)
    if let offset = formerOffset {
      let former = MonotonicTime(nanoseconds: stamp &- offset)
      // Of two that are possible, the one that follows sooner on the datagram before it.
      if former >= earliest, former <= now, plain < earliest || plain > former { return former }
      formerOffset = nil
    }
    // One that civil time sees in the future came while the clocks were read.
    return min(plain, now)
  }
}
