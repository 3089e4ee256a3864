import Testing

/// The priority of the browsers that a suite's tests start, as `nice` takes it.
///
/// Fake microphones need the processor in time. Where that may not be asked for, `nice` runs the program as it is.
struct BrowserNiceness: SuiteTrait, TestTrait, TestScoping {
  /// Of the present test.
  @TaskLocal static var current = -10

  let niceness: Int
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await BrowserNiceness.$current.withValue(niceness) { try await function() }
  }
}

extension Trait where Self == BrowserNiceness {
  static func browserNiceness(_ niceness: Int) -> BrowserNiceness { BrowserNiceness(niceness: niceness) }
}
