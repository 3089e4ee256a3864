import Logging
import Synchronization
import Testing

@testable import jamjar

@Suite struct LogsTests {
  /// Keeps what would be written.
  private struct Kept: LogHandler {
    final class Lines: Sendable {
      let all = Mutex<[String]>([])
    }

    let lines = Lines()
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let fields = metadata.merging(event.metadata ?? [:]) { $1 }
      lines.all.withLock { $0.append("\(event.message) \(fields)") }
    }
  }

  @Test func noNameOfAStrangerForgesALine() {
    let kept = Kept()
    var logger = Logger(label: "test") { _ in LineLogHandler(kept) }
    let forged = "x\n2026-11-23 error jamjar: forged \u{1B}[2J"
    logger[metadataKey: "room"] = "\(forged)"
    logger.info("\(forged)", metadata: ["reason": "\(forged)", "list": ["\(forged)"]])
    let lines = kept.lines.all.withLock { $0 }
    #expect(lines.count == 1)
    #expect(lines.allSatisfy { !$0.contains("\n") && !$0.contains("\u{1B}") && $0.contains("forged") })
  }
}
