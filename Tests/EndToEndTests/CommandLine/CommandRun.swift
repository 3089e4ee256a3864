import Foundation
import Signaling

/// One run of the built `jamjar` to its end.
struct CommandRun {
  var status: Int32
  /// Standard output and standard error, as they came.
  var text: String

  /// - Parameter environment: variables beside those of the test; the others of Jamjar are taken away.
  init(_ words: [String], environment: [String: String] = [:]) async throws {
    let cleared = ["JAMJAR_SERVER", "JAMJAR_TOKEN", "JAMJAR_DATA", "JAMJAR_CONFIG", "NO_COLOR", "COLUMNS"]
    let child = try ChildProcess(
      "env",
      cleared.flatMap { ["-u", $0] } + environment.map { "\($0.key)=\($0.value)" } + [try Service.executable()] + words)
    status = await child.exitStatus()
    text = (await child.wholeText()).trimmingCharacters(in: .newlines)
  }

  /// What was printed, as JSON.
  var json: JSONObject {
    get throws {
      guard let object = try JSONValue(parsing: Array(text.utf8), limits: CommandRun.limits).object else {
        throw EndToEndFailure("no JSON object: \(text.prefix(300))")
      }
      return object
    }
  }

  /// True where the output is one line that names the program, as every error is told.
  var isOneLineError: Bool { text.hasPrefix("jamjar: ") && !text.contains("\n") }

  private static let limits = JSONLimits(bytes: 4_000_000, values: 100_000)
}
