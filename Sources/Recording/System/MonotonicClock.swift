import CLinux
import Glibc
import Machines
import Music

/// The machine's clocks: the only place that reads the time.
package enum MonotonicClock {
  /// The current CLOCK_BOOTTIME. It ignores steps of the wall clock, and continues while the machine is suspended,
  /// because the musicians play on.
  package static var now: MonotonicTime { MonotonicTime(nanoseconds: read(CLOCK_BOOTTIME)) }

  /// The current civil time, for annotations.
  package static var wall: WallTime { WallTime(nanoseconds: read(CLOCK_REALTIME)) }

  /// The reading of a system clock, in nanoseconds.
  package static func read(_ clock: clockid_t) -> Int64 { jamjar_read_clock(clock) }
}
