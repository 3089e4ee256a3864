import Machines
import Recording

/// Waits for descriptors where the system has none left: connections give theirs back within a moment, and a take must not
/// be given up for them while its music is kept in memory.
enum DescriptorPatience {
  static let limit = MonotonicTime.Span.seconds(15)
  private static let pause = MonotonicTime.Span.milliseconds(100)

  /// What `body` answers, tried again for some seconds where it fails for lack of a descriptor.
  /// - Throws: what `body` throws.
  static func run<Value>(
    within limit: MonotonicTime.Span = limit, isolation: isolated (any Actor)? = #isolation,
    _ body: () throws(FileProblem) -> Value
  ) async throws(FileProblem) -> Value {
    let deadline = MonotonicClock.now + limit
    while true {
      do throws(FileProblem) {
        return try body()
      } catch {
        guard error.isOutOfDescriptors, MonotonicClock.now < deadline else { throw error }
      }
      await Deadline.pause(pause)
    }
  }
}
