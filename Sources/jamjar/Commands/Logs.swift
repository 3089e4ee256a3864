import Foundation
import Logging
import Signaling

/// Logs one JSON object per line to standard error, for log collectors.
struct JSONLogHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .info
  let label: String

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var fields: [(String, JSONValue)] = [
      ("time", .string(Date().formatted(.iso8601.dateTimeSeparator(.standard).time(includingFractionalSeconds: true)))),
      ("level", .string(event.level.rawValue)), ("message", .string("\(event.message)")),
    ]
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    for (key, value) in all.sorted(by: { $0.key < $1.key }) { fields.append((key, .string("\(value)"))) }
    Terminal.complain(JSONValue.object(JSONObject(fields)).text)
  }
}

/// Logs one readable line per event to standard error. Line breaks in names and commands of strangers are replaced,
/// because they could forge a line.
struct LineLogHandler: LogHandler {
  private var lines: any LogHandler

  init(_ lines: any LogHandler) {
    self.lines = lines
  }

  var metadata: Logger.Metadata {
    get { lines.metadata }
    set { lines.metadata = LineLogHandler.printable(newValue) }
  }

  var logLevel: Logger.Level {
    get { lines.logLevel }
    set { lines.logLevel = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { lines[metadataKey: key] }
    set { lines[metadataKey: key] = newValue.map(LineLogHandler.printable) }
  }

  func log(event: LogEvent) {
    var event = event
    event.message = "\("\(event.message)".printable)"
    event.metadata = event.metadata.map(LineLogHandler.printable)
    lines.log(event: event)
  }

  private static func printable(_ metadata: Logger.Metadata) -> Logger.Metadata { metadata.mapValues(printable) }

  private static func printable(_ value: Logger.Metadata.Value) -> Logger.Metadata.Value {
    .string("\(value)".printable)
  }
}

enum Logs {
  /// The destination of log lines and their minimum level.
  static func logger(level: Logger.Level, isJSON: Bool) -> Logger {
    var logger = Logger(label: "jamjar") { label -> any LogHandler in
      if isJSON { return JSONLogHandler(label: label) }
      return LineLogHandler(StreamLogHandler.standardError(label: label))
    }
    logger.logLevel = level
    return logger
  }
}
