import Foundation

/// A thread of an export that can be waited for; it has the priority of the thread that made it.
final class ExportThread: Sendable {
  private let done = DispatchSemaphore(value: 0)

  init(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread { [done] in
      body()
      done.signal()
    }
    thread.name = name
    thread.start()
  }

  /// Waits until it has ended.
  func join() {
    done.wait()
    done.signal()
  }
}
