import Foundation
import Logging
import Signaling

/// One JSON object a line on the standard error, for machines that collect logs.
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

enum Logs {
  /// Where log lines go, and from which level on.
  static func logger(level: Logger.Level, isJSON: Bool) -> Logger {
    var logger = Logger(label: "jamjar") { label -> any LogHandler in
      if isJSON { return JSONLogHandler(label: label) }
      return StreamLogHandler.standardError(label: label)
    }
    logger.logLevel = level
    return logger
  }
}
