import Glibc
import Synchronization

/// Ctrl-C during work that must leave no partial file: the signal is recorded, and the work checks for it.
enum Interruption {
  private static let isAsked = Atomic<Bool>(false)

  /// Records SIGINT and SIGTERM from now on, instead of ending at once.
  static func watch() {
    // Created here, so that a signal handler never has to create it.
    isAsked.store(false, ordering: .relaxed)
    for number in [SIGINT, SIGTERM] {
      signal(number) { _ in Interruption.isAsked.store(true, ordering: .relaxed) }
    }
  }

  /// - Throws: `CommandFailure` after a signal.
  static func check() throws(CommandFailure) {
    guard isAsked.load(ordering: .relaxed) else { return }
    throw CommandFailure(ExitCodes.interrupted, "stopped; the unfinished file was removed")
  }
}
