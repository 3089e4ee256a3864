import Machines
import Recording

/// Calls back at a regular interval on its loop, until it is stopped.
final class Ticker: LoopSource {
  private let loop: MediaLoop
  private let interval: MonotonicTime.Span
  private let body: (MonotonicTime) -> Void
  private var id: MediaLoop.SourceID?
  private var next: MonotonicTime

  init(loop: MediaLoop, interval: MonotonicTime.Span, body: @escaping (MonotonicTime) -> Void) {
    self.loop = loop
    self.interval = interval
    self.body = body
    next = MonotonicClock.now + interval
    let id = loop.add(self)
    self.id = id
    loop.wake(id, by: next)
  }

  func descriptorReady(_ descriptor: Int32, at now: MonotonicTime) -> MonotonicTime? { nil }

  func deadlineReached(at now: MonotonicTime) {
    guard let id else { return }
    // From the due time, so that it does not drift; after a stall it restarts from now.
    next = max(next + interval, now)
    body(now)
    if self.id != nil { loop.wake(id, by: next) }
  }

  func stop() {
    if let id { loop.remove(id) }
    id = nil
  }
}
