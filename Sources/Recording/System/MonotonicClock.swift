import Glibc
import Machines
import Music

/// The machine's clocks: the only place that asks what time it is.
package enum MonotonicClock {
  /// Now on CLOCK_BOOTTIME, which no step of the wall clock moves and which goes on while the machine is suspended: its
  /// musicians play on.
  package static var now: MonotonicTime { MonotonicTime(nanoseconds: read(CLOCK_BOOTTIME)) }

  /// Civil time now, for annotations.
  package static var wall: WallTime { WallTime(nanoseconds: read(CLOCK_REALTIME)) }

  /// What a clock of the system shows, in nanoseconds.
  package static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
