import Foundation
import Synchronization
import TestSupport

/// Stops a service now and then, for as long as it is kept.
final class Standstills: Sendable {
  private let over = DispatchSemaphore(value: 0)
  private let group = DispatchGroup()
  private let seconds = Mutex<[Double]>([])

  private static let interval = 5.0...10.0
  /// How long one is, in seconds.
  static let length = 0.1...2.0

  init(_ service: ServiceProcess) {
    group.enter()
    Thread.detachNewThread { [self] in
      while over.wait(timeout: .now() + .random(in: Standstills.interval)) == .timedOut {
        let length = Double.random(in: Standstills.length)
        service.standStill(seconds: length)
        seconds.withLock { $0.append(length) }
      }
      group.leave()
    }
  }

  /// Returns once the service runs for good: how long each standstill was, in seconds.
  func end() -> [Double] {
    over.signal()
    group.wait()
    return seconds.withLock { $0 }
  }
}
