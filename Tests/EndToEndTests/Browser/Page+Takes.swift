import Foundation
import Signaling

extension Page {
  /// Runs the body of an async function with Pages/takes.js as `takes`.
  @discardableResult
  func takes(_ body: String, _ arguments: JSONValue...) async throws -> JSONValue {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Pages/takes.js")
    let helpers = try String(contentsOf: file, encoding: .utf8)
    return try await run(
      "const takes = (() => { \(helpers) })(), given = arguments_[0]; \(body)", .array(arguments))
  }

  /// Opens a take's page and waits until its deck stands.
  func openTake(_ id: String, query: String = "", of service: Service) async throws {
    try await open("\(service.address)/takes/\(id)\(query)")
    try await takes("await takes.until(() => window.jamjarDeck && document.querySelector('.strip'));")
  }
}
