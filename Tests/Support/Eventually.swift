/// Waits for what no event tells of (a file, another process, an answer over HTTP), asking every 20 ms.
///
/// The one place where tests look again and again. Where there is an event, they wait for that.
///
/// - Parameters:
///   - what: what is waited for, as in "the service is ready".
///   - detail: what helps to understand why it did not come, asked for only then.
/// - Throws: a failure in words once `patience` is over; a test that waits for ever says nothing.
package func eventually(
  _ what: String, or detail: @Sendable () -> String = { "" }, within patience: Duration = .seconds(60),
  _ holds: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + patience
  while try await !holds() {
    guard ContinuousClock.now < deadline else {
      throw WaitedInVain(what: what, patience: patience, detail: detail())
    }
    try await Task.sleep(for: .milliseconds(20))
  }
}
