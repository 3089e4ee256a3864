import Logging

/// What the recorder logs, as events: for what it tells its operator and nobody else.
struct OverheardLog: LogHandler {
  let lines: AsyncStream<String>.Continuation
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.error

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { lines.yield("\(event.message)") }
}
