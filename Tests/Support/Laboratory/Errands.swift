import Foundation
import Synchronization

/// Requests that are made beside a performance, which waits for nobody.
final class Errands: Sendable {
  private let group = DispatchGroup()
  private let failures = Mutex<[String]>([])

  func run(_ body: @escaping @Sendable () throws -> Void) {
    group.enter()
    Thread.detachNewThread { [self] in
      do {
        try body()
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
      group.leave()
    }
  }

  /// Returns once all are done.
  /// - Throws: what the first that failed said.
  func wait() throws {
    group.wait()
    if let failure = failures.withLock({ $0.first }) { throw LaboratoryProblem(failure) }
  }
}
