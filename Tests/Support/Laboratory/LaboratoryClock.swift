import CLinux
import Glibc

/// The machine's clock, which the recorder's time line is on too (CLOCK_BOOTTIME), and an alarm on it.
enum LaboratoryClock {
  /// In nanoseconds.
  static var now: Int64 { jamjar_read_clock(CLOCK_BOOTTIME) }
}

/// A descriptor that is readable from an instant on: exact to some microseconds, where poll(2) knows milliseconds.
final class LaboratoryAlarm {
  let descriptor: Int32

  init() throws {
    descriptor = timerfd_create(CLOCK_BOOTTIME, Int32(O_NONBLOCK) | Int32(O_CLOEXEC))
    guard descriptor >= 0 else { throw LaboratoryProblem("no timer: errno \(errno)") }
  }

  /// Sets it to `time` of `LaboratoryClock`, in nanoseconds.
  func set(_ time: Int64) {
    // 0 would switch it off.
    _ = jamjar_set_timer(descriptor, max(1, time))
  }

  /// Waits until it rings, or one of `sockets` has something to read.
  func wait(or sockets: [Int32]) {
    var entries = ([descriptor] + sockets).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = poll(&entries, nfds_t(entries.count), 1_000)
    var count: UInt64 = 0
    _ = withUnsafeMutableBytes(of: &count) { read(descriptor, $0.baseAddress, $0.count) }
  }

  deinit {
    close(descriptor)
  }
}
