import Foundation
import Glibc
import Server
import Synchronization

/// Ends the process in time, whatever the rest of it does.
///
/// It is a thread of its own that the signal itself wakes, through a pipe: neither a blocked pool of tasks nor an event
/// loop that stands still keeps it from its work, and whatever it asks others to do is done on threads of theirs.
final class StopWatchdog: Sendable {
  /// What is to be done, one after the other; each only where the one before was not enough in its time. A further signal
  /// brings the next one at once.
  enum Stage: CaseIterable, Sendable {
    /// The service shall end: its takes are completed, its clients are told.
    case stop
    /// The limit is near: journals are closed, everything else is cut off.
    case cutOff
    /// The limit is reached, and the process ends behind this.
    case end
  }

  /// Of the limit, what is left for the second stage.
  private static let lastPart = 0.2
  /// How long what is said at the very end may hold up the end, in seconds.
  private static let lastWords = 0.5
  /// Written by the signal's handler.
  private static let bell = Atomic<Int32>(-1)

  private let patience: [Double]
  private let act: @Sendable (Stage) -> Void

  /// - Parameters:
  ///   - drain: seconds for which takes may go on after the first signal.
  ///   - limit: seconds after that in which the process ends.
  ///   - act: does what a stage is; called on a thread of its own.
  init(drain: Double, limit: Double, _ act: @escaping @Sendable (Stage) -> Void) {
    let last = limit * StopWatchdog.lastPart
    patience = [drain + limit - last, last]
    self.act = act
  }

  /// Takes SIGTERM and SIGINT from here on. Only one watchdog of a process does.
  /// - Throws: where the system gives no pipe.
  func start() throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    let listening = ends[0]
    StopWatchdog.bell.store(ends[1], ordering: .relaxed)
    Thread.detachNewThread { [self] in run(listening) }
    for number in [SIGTERM, SIGINT] {
      signal(number) { _ in
        let saved = errno
        var byte: UInt8 = 0
        _ = write(StopWatchdog.bell.load(ordering: .relaxed), &byte, 1)
        errno = saved
      }
    }
  }

  private func run(_ listening: Int32) {
    // Other threads may have them blocked, this one must not: somebody has to take them.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGTERM, SIGINT] { sigaddset(&signals, number) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    wait(for: listening, seconds: nil)
    for (stage, seconds) in zip([Stage.stop, .cutOff], patience) {
      Thread.detachNewThread { [act] in act(stage) }
      wait(for: listening, seconds: seconds)
    }
    // A log that nobody reads must not hold it up.
    let said = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [act] in
      SpawnedProcess.killAll()
      act(.end)
      said.signal()
    }
    _ = said.wait(timeout: .now() + StopWatchdog.lastWords)
    _exit(ExitCodes.cutOff)
  }

  /// Returns at the next signal, or after so many seconds.
  private func wait(for listening: Int32, seconds: Double?) {
    let end = seconds.map { ContinuousClock.now + .seconds($0) }
    while true {
      let left = end.map { max(0, ($0 - .now) / .milliseconds(1)) } ?? -1
      var request = pollfd(fd: listening, events: Int16(POLLIN), revents: 0)
      let count = poll(&request, 1, Int32(clamping: Int64(left.rounded(.up))))
      if count > 0 {
        // Those that came at once are one.
        var bytes = [UInt8](repeating: 0, count: 64)
        _ = read(listening, &bytes, bytes.count)
        return
      }
      if let end, ContinuousClock.now >= end { return }
    }
  }
}
