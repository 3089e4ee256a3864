import Logging
import Music
import Recording
import ServiceLifecycle

/// Empties the trash and applies the retention rules once a day, beginning at the start of the service.
package struct RetentionService: NamedService {
  private static let pause = Duration.seconds(86_400)

  private let retention: Retention
  private let logger: Logger

  package init(_ library: Library, policy: RetentionPolicy, logger: Logger) {
    retention = Retention(library, policy: policy)
    self.logger = logger
  }

  package func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await once()
        try? await Task.sleep(for: RetentionService.pause)
      }
    }
  }

  private func once() async {
    do {
      let done = try await retention.carryOut(retention.plan(at: MonotonicClock.wall))
      guard !done.expired.isEmpty || !done.purged.isEmpty else { return }
      logger.notice(
        "followed the rules of retention",
        metadata: ["to the trash": "\(done.expired.count)", "removed": "\(done.purged.count)"])
    } catch {
      logger.error("the rules of retention could not be followed", metadata: ["error": "\(error)"])
    }
  }
}
