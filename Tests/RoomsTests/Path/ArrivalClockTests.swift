import Machines
import Testing

@testable import Rooms

/// When a datagram came, by the kernel's stamps of civil time.
@Suite struct ArrivalClockTests {
  private static let second: Int64 = 1_000_000_000
  private static let millisecond: Int64 = 1_000_000
  /// Civil time when the monotonic clock showed 0.
  private static let epoch: Int64 = 1_790_000_000 * second

  private static func reading(at time: Int64, shift: Int64 = 0) -> ArrivalClock.Reading {
    .init(monotonic: MonotonicTime(nanoseconds: time), civil: epoch + time + shift)
  }

  /// Reads a datagram that came at `arrival`, when civil time was off by `stampShift`, at `time`.
  private static func read(
    _ clock: inout ArrivalClock, arrival: Int64, at time: Int64, shift: Int64 = 0, stampShift: Int64 = 0
  ) -> Int64 {
    clock.arrival(
      stamp: epoch + arrival + stampShift, reading: reading(at: time, shift: shift)
    ).nanoseconds
  }

  @Test func itIsWhenItCameAndNotWhenItWasRead() {
    var clock = ArrivalClock()
    for index in 0..<500 {
      let arrival = 10 * Self.second + Int64(index) * 20 * Self.millisecond
      // All of ten seconds are read at once.
      #expect(Self.read(&clock, arrival: arrival, at: 21 * Self.second + Int64(index)) == arrival)
    }
  }

  /// After a standstill of eight seconds a browser has gone from one socket to another, and the later one is read first.
  @Test func whatWaitsInOneSocketCameBeforeWhatWasReadFromAnother() {
    var clocks = ArrivalClocks()
    let now = 11 * Self.second
    for (socket, seconds) in [(Int32(8), 8..<11), (7, 3..<8), (8, 11..<12)] {
      for second in seconds {
        let arrival = Int64(second) * Self.second
        let came = clocks.arrival(
          on: socket, stamp: Self.epoch + arrival, reading: Self.reading(at: now + Self.millisecond))
        #expect(came.nanoseconds == arrival)
      }
    }
  }

  @Test func withoutAStampItIsNow() {
    var clock = ArrivalClock()
    let now = MonotonicTime(nanoseconds: 5)
    #expect(clock.arrival(stamp: 0, reading: Self.reading(at: 5)) == now)
    #expect(clock.arrival(stamp: .min, reading: Self.reading(at: 5)) == now)
  }

  @Test func itIsNeverInTheFutureAndNeverRunsBack() {
    var clock = ArrivalClock()
    #expect(Self.read(&clock, arrival: 2 * Self.second, at: Self.second) == Self.second)
    #expect(Self.read(&clock, arrival: Self.second / 2, at: 2 * Self.second) == Self.second)
    let now = MonotonicTime(nanoseconds: 3 * Self.second)
    #expect(clock.arrival(stamp: .max, reading: Self.reading(at: 3 * Self.second)) == now)
  }

  /// Civil time is set while datagrams wait: those of before and those of after both keep their time.
  @Test(arguments: [3_600 * second, -3_600 * second, 2 * second, -2 * second])
  func settingTheCivilClockMovesNothing(by shift: Int64) {
    var clock = ArrivalClock()
    #expect(Self.read(&clock, arrival: Self.second, at: Self.second + 1_000) == Self.second)
    // Nothing is read from second 1 to second 6; the clock is set at second 3.
    for index in 1..<250 {
      let arrival = Self.second + Int64(index) * 20 * Self.millisecond
      let stampShift = arrival < 3 * Self.second ? 0 : shift
      #expect(
        Self.read(&clock, arrival: arrival, at: 6 * Self.second + Int64(index), shift: shift, stampShift: stampShift)
          == arrival)
    }
    let later = 7 * Self.second
    #expect(Self.read(&clock, arrival: later, at: later + 50, shift: shift, stampShift: shift) == later)
  }
}
