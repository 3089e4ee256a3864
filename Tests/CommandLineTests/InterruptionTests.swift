import Glibc
import TestSupport
import Testing

@testable import jamjar

/// Signals that end a command reach its work, which removes what is unfinished.
@Suite(.serialized) struct InterruptionTests {
  @Test(arguments: [SIGHUP, SIGINT, SIGTERM]) func aSignalIsSeenByTheWork(number: Int32) async throws {
    // They may be ignored from the start, as under nohup.
    for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
    defer { for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) } }
    Interruption.watch()
    try Interruption.check()
    // Not `raise`: threads of Swift's pool take no signals.
    kill(getpid(), number)
    try await eventually("the signal is seen") { signalled() == number }
    // A new piece of work begins without it.
    Interruption.watch()
    try Interruption.check()
  }

  private func signalled() -> Int32? {
    do {
      try Interruption.check()
      return nil
    } catch {
      return error.signal
    }
  }

  @Test func noServiceIsBlamedForASignalDuringADownload() async throws {
    let source = try RemoteSource(ServerAddress("http://127.0.0.1:1", field: "--server"), key: nil)
    let interruption = await #expect(throws: Interruption.self) {
      try await source.reaching { () async throws -> Void in throw Interruption(signal: SIGTERM) }
    }
    #expect(interruption?.signal == SIGTERM)
  }

  @Test func whatTheUserHasIgnoredStaysIgnored() throws {
    defer { for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) } }
    signal(SIGHUP, SIG_IGN)
    Interruption.watch()
    kill(getpid(), SIGHUP)
    try Interruption.check()
  }
}
