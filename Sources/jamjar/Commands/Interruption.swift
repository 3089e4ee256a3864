import Glibc
import Synchronization

/// Ctrl-C during work that leaves no half file: the signal is noted, and the work asks for it.
enum Interruption {
  private static let isAsked = Atomic<Bool>(false)

  /// Notes SIGINT and SIGTERM from now on, instead of ending at once.
  static func watch() {
    // Made before a signal handler could be the first to want it.
    isAsked.store(false, ordering: .relaxed)
    for number in [SIGINT, SIGTERM] {
      signal(number) { _ in Interruption.isAsked.store(true, ordering: .relaxed) }
    }
  }

  /// - Throws: `CommandFailure` once somebody has asked to stop.
  static func check() throws(CommandFailure) {
    guard isAsked.load(ordering: .relaxed) else { return }
    throw CommandFailure(ExitCodes.interrupted, "stopped; what was being written is gone")
  }
}
