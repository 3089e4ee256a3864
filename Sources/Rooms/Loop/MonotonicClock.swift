import Glibc
import Machines
import Music

/// The machine's clocks: the only place of this module that asks what time it is.
package enum MonotonicClock {
  /// Now on CLOCK_MONOTONIC, which no step of the wall clock moves.
  package static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }

  /// Civil time now, for annotations.
  package static var wall: WallTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }
}
