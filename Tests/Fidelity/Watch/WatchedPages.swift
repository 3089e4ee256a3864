import Catalog
import Dispatch
import Glibc
import Machines
import Music
import Synchronization

/// Lists of a catalogue that `jamjar catalog bench --takes 2000` generated.
struct WatchedPages {
  private let catalog: SQLiteCatalog
  private static let length = 50
  /// How long to wait after a page, in microseconds. The pool takes its connection back on another thread; before that
  /// the next page would open a second one, or not, as threads happen to run.
  private static let pause: UInt32 = 50_000

  init(folder: String) throws {
    catalog = try SQLiteCatalog.open(beside: "\(folder)/catalog.sqlite", forReadingOnly: true)
  }

  /// The newest 50 takes as JSON, again and again.
  ///
  /// The main thread waits. An asynchronous `main` would end it and leave the process to libdispatch, which crashes
  /// valgrind 3.19.
  func pages(_ count: Int) throws {
    let (end, outcome) = (DispatchSemaphore(value: 0), Outcome())
    Task.detached { [catalog] in
      do {
        // The first one opens the connection.
        try await WatchedPages.page(of: catalog)
        try await Watch.count { for _ in 0..<count { try await WatchedPages.page(of: catalog) } }
      } catch {
        outcome.problem.withLock { $0 = error }
      }
      end.signal()
    }
    end.wait()
    if let problem = outcome.problem.withLock({ $0 }) { throw problem }
  }

  private static func page(of catalog: SQLiteCatalog) async throws {
    // The way that has no deadline: SQLite looks at the clock in the other, which a slow processor would miss.
    let page = try await catalog.takeText(TakeQuery(limit: length))
    guard page.items.count > length * 100, page.next != nil else {
      throw FidelityProblem("the page is \(page.items.count) bytes long; is the catalogue whole?")
    }
    usleep(pause)
  }

  /// The number by which a 304 is known, again and again.
  func unchanged(_ count: Int) throws {
    guard let edition = catalog.edition else { throw FidelityProblem("the catalogue tells no edition") }
    try Watch.count {
      for _ in 0..<count {
        guard catalog.edition == edition else { throw FidelityProblem("the catalogue has changed meanwhile") }
      }
    }
  }
}

private final class Outcome: Sendable {
  let problem = Mutex<(any Error)?>(nil)
}
