import CLinux
import Foundation
import Glibc
import Server
import Synchronization

/// Ends the process in time, whatever its other threads do.
///
/// It runs on its own thread, which the signal wakes through a pipe. Neither a blocked task pool nor a stalled event
/// loop can hold it up, and it never waits for the work it requests, which runs on other threads.
final class StopWatchdog: Sendable {
  /// The stages of stopping. Each begins if the one before did not suffice in its time, or at once on a further signal.
  enum Stage: CaseIterable, Sendable {
    /// Ends the service: takes are completed, clients are notified.
    case stop
    /// Near the limit: closes the journals and cuts off everything else.
    case cutOff
    /// At the limit: the process ends after this stage.
    case end
  }

  /// The part of the limit reserved for the second stage.
  private static let lastPart = 0.2
  /// Maximum delay caused by the final log message, in seconds.
  private static let lastWords = 0.5
  /// Written by the signal's handler.
  private static let bell = Atomic<Int32>(-1)

  private let patience: [Double]
  private let act: @Sendable (Stage) -> Void

  /// - Parameters:
  ///   - drain: seconds for which takes may continue after the first signal.
  ///   - limit: further seconds until the process ends.
  ///   - act: performs a stage; called on a separate thread.
  init(drain: Double, limit: Double, _ act: @escaping @Sendable (Stage) -> Void) {
    let last = limit * StopWatchdog.lastPart
    patience = [drain + limit - last, last]
    self.act = act
  }

  /// Handles SIGTERM and SIGINT from now on. Only one watchdog per process may do so.
  /// - Throws: if the system cannot create a pipe.
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
    // Other threads may block these signals; this one must receive them.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGTERM, SIGINT] { sigaddset(&signals, number) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    wait(for: listening, seconds: nil)
    for (stage, seconds) in zip([Stage.stop, .cutOff], patience) {
      Thread.detachNewThread { [act] in act(stage) }
      wait(for: listening, seconds: seconds)
    }
    // Not to be held up by a log that nobody reads.
    let said = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [act] in
      SpawnedProcess.killAll()
      act(.end)
      said.signal()
    }
    _ = said.wait(timeout: .now() + StopWatchdog.lastWords)
    _exit(ExitCodes.cutOff)
  }

  /// Waits for the next signal, or this many seconds.
  private func wait(for listening: Int32, seconds: Double?) {
    let end = seconds.map { ContinuousClock.now + .seconds($0) }
    while true {
      let left = end.map { max(0, ($0 - .now) / .milliseconds(1)) } ?? -1
      var request = pollfd(fd: listening, events: Int16(POLLIN), revents: 0)
      let count = poll(&request, 1, Int32(clamping: Int64(left.rounded(.up))))
      if count > 0 {
        // Simultaneous signals count as one.
        var bytes = [UInt8](repeating: 0, count: 64)
        _ = read(listening, &bytes, bytes.count)
        return
      }
      if let end, ContinuousClock.now >= end { return }
    }
  }
}
