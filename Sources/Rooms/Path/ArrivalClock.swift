import Machines

/// Converts the kernel's wall-clock stamps of a socket's datagrams to the recorder's own clock.
///
/// The arrival of a datagram is when the network delivered it rather than when the recorder read it. Otherwise, a
/// busy machine or a service that was stopped for seconds would look like a delay of the path.
struct ArrivalClock: Sendable {
  /// Simultaneous readings of both clocks.
  struct Reading: Hashable, Sendable {
    var monotonic: MonotonicTime
    /// Wall time in nanoseconds since 1970.
    var civil: Int64

    /// Wall time at the start of the monotonic clock.
    fileprivate var offset: Int64 { civil &- monotonic.nanoseconds }
  }

  /// Maximum divergence of wall time between two readings if it was not set, in nanoseconds: both clocks are
  /// disciplined alike, but a reading can be interrupted between the two.
  private static let greatestWander: Int64 = 1_000_000

  private var last: Reading?
  /// The offset before wall time was set, while datagrams of that time may be waiting.
  private var formerOffset: Int64?
  private var lastArrival: MonotonicTime?

  /// The arrival of a datagram with this `stamp` (wall time in nanoseconds, 0 for none): never after `reading`, which
  /// was made later, and never before an earlier datagram.
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
      // Of two possible times, the one closer to the previous datagram.
      if former >= earliest, former <= now, plain < earliest || plain > former { return former }
      formerOffset = nil
    }
    // A time in the future means that the datagram arrived while the clocks were read.
    return min(plain, now)
  }
}

/// The clocks of all sockets of an agent.
///
/// A musician's browser may go from one socket to another, and after a standstill the later one may be read first: what
/// waits in the former came before, all the same.
struct ArrivalClocks: Sendable {
  /// Of hardly ever more than three sockets.
  private var clocks: [(socket: Int32?, clock: ArrivalClock)] = []

  /// - Parameter socket: the descriptor that the datagram was read from; nil if that is unknown.
  mutating func arrival(on socket: Int32?, stamp: Int64, reading: ArrivalClock.Reading) -> MonotonicTime {
    for index in clocks.indices where clocks[index].socket == socket {
      return clocks[index].clock.arrival(stamp: stamp, reading: reading)
    }
    var clock = ArrivalClock()
    defer { clocks.append((socket, clock)) }
    return clock.arrival(stamp: stamp, reading: reading)
  }
}
