import Logging
import Synchronization

/// Keeps what is logged, for tests of what must not be.
final class LogCollector: Sendable {
  private let lines = Mutex<[String]>([])
  private let added: AsyncStream<String>
  private let adding: AsyncStream<String>.Continuation

  init() {
    (added, adding) = AsyncStream.makeStream()
  }

  var text: String { lines.withLock { $0.joined(separator: "\n") } }

  func logger(level: Logger.Level = .info) -> Logger {
    var logger = Logger(label: "test") { _ in Handler(collector: self) }
    logger.logLevel = level
    return logger
  }

  /// Waits for a line with `text` in it; one test waits at a time.
  func wait(for text: String) async {
    for await line in added where line.contains(text) { return }
  }

  private func add(_ line: String) {
    lines.withLock { $0.append(line) }
    adding.yield(line)
  }

  private struct Handler: LogHandler {
    let collector: LogCollector
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let all = metadata.merging(event.metadata ?? [:]) { $1 }
      collector.add("\(event.level) \(event.message) \(all)")
    }
  }
}
