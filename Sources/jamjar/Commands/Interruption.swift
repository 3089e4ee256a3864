import Glibc
import Synchronization

/// A signal to end during work that must leave no partial file: it is recorded, and the work checks for it.
struct Interruption: Error {
  /// SIGINT (Ctrl-C), SIGTERM or SIGHUP (the terminal was closed).
  let signal: Int32

  private static let received = Atomic<Int32>(0)

  /// Records these signals from now on, instead of ending at once. Ignored ones (nohup) stay ignored.
  static func watch() {
    // Created here, so that a signal handler never has to create it.
    received.store(0, ordering: .relaxed)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let former = Glibc.signal(number) { Interruption.received.store($0, ordering: .relaxed) }
      // SIG_IGN, which Swift cannot compare with, is 1.
      if unsafeBitCast(former, to: Int.self) == 1 { Glibc.signal(number, SIG_IGN) }
    }
  }

  /// - Throws: `Interruption` after a signal.
  static func check() throws(Interruption) {
    let number = received.load(ordering: .relaxed)
    if number != 0 { throw Interruption(signal: number) }
  }
}

extension Interruption: CustomStringConvertible {
  var description: String { "stopped; the unfinished file was removed" }
}
