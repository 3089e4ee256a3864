import Signaling

extension Page {
  /// Runs the body of an async function with Pages/takes.js as `takes`.
  @discardableResult
  func takes(_ body: String, _ arguments: JSONValue...) async throws -> JSONValue {
    let helpers = try PageScript.text("takes.js")
    return try await run(
      "const takes = (() => { \(helpers) })(), given = arguments_[0]; \(body)", .array(arguments))
  }

  /// Opens a take's page and waits until its deck stands.
  /// - Parameter quality: what the deck plays; "full" is the files to the sample.
  func openTake(
    _ id: String, query: String = "", quality: String = "full", of service: Service
  ) async throws {
    // A page of this origin that costs nothing.
    try await open("\(service.address)/healthz")
    try await run("localStorage.setItem('jamjar-sound-quality', JSON.stringify(arguments_[0]));", .string(quality))
    try await open("\(service.address)/takes/\(id)\(query)")
    try await takes("await takes.until(() => window.jamjarDeck && document.querySelector('.strip'));")
  }
}
