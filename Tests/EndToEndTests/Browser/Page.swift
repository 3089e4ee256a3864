import Foundation
import Glibc
import Signaling
import Testing

/// One page in a Chromium process of its own.
struct Page: WebPage {
  let driver: WebDriver
  let session: String
  /// The browser's process.
  let browser: Int32

  func open(_ address: String) async throws {
    try await driver.command("POST", "\(session)/url", ["url": .string(address)])
  }

  func reload() async throws {
    try await driver.command("POST", "\(session)/refresh")
  }

  func run(_ body: String, with arguments: [JSONValue]) async throws -> JSONValue {
    let script = """
      const arguments_ = [...arguments], done = arguments_.pop();
      (async function () { \(body) }).apply(null, arguments_)
        .then((value) => done({ value: value ?? null }), (error) => done({ error: String(error?.message ?? error) }));
      """
    let answer: JSONValue
    do {
      answer = try await driver.command(
        "POST", "\(session)/execute/async", ["script": .string(script), "args": .array(arguments)])
    } catch let failure as EndToEndFailure {
      // A script that takes too long is not named otherwise, nor what it waits for.
      let given = JSONValue.array(arguments).text.prefix(200)
      throw EndToEndFailure("\(failure.description), in: \(body.suffix(500)) with \(given)")
    }
    if let error = answer.object?["error"]?.string { throw EndToEndFailure("the page says: \(error)") }
    return answer.object?["value"] ?? .null
  }

  /// What the browser's console has of errors and warnings since it was asked last.
  func complaints() async throws -> [String] {
    let entries = try await driver.command("POST", "\(session)/se/log", ["type": "browser"]).array ?? []
    return entries.compactMap(\.object).filter { ["SEVERE", "WARNING"].contains($0["level"]?.string) }
      .compactMap { $0["message"]?.string }
  }

  /// Expects that the browser's console has no errors and warnings since it was asked last.
  func expectNoComplaints(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let complaints = try await complaints()
    #expect(complaints == [], sourceLocation: sourceLocation)
  }

  /// Runs a script in every page that is opened from now on, before anything of that page's own.
  func prepare(_ script: String) async throws {
    try await devTools("Page.addScriptToEvaluateOnNewDocument", ["source": .string(script)])
  }

  /// Gives Chromium a command of its DevTools protocol and answers its result.
  @discardableResult
  func devTools(_ command: String, _ parameters: JSONValue = [:]) async throws -> JSONValue {
    try await driver.command(
      "POST", "\(session)/goog/cdp/execute", ["cmd": .string(command), "params": parameters])
  }

  /// Presses the mouse twice in the middle of an element, as a person does.
  func doubleClick(_ selector: String) async throws {
    let place = try await run(
      """
      const node = document.querySelector(arguments_[0]);
      node.scrollIntoView({ block: "center" });
      const { left, top, width, height } = node.getBoundingClientRect();
      return [left + width / 2, top + height / 2];
      """, .string(selector))
    guard let x = place.array?.first, let y = place.array?.last else { throw EndToEndFailure("\(selector) is nowhere") }
    for count in 1...2 {
      for type in ["mousePressed", "mouseReleased"] {
        try await devTools(
          "Input.dispatchMouseEvent",
          ["type": .string(type), "x": x, "y": y, "button": "left", "clickCount": .integer(Int64(count))])
      }
    }
  }

  /// Types keys as a person does, into whatever has the focus.
  func press(_ keys: String) async throws {
    let actions = keys.flatMap { key -> [JSONValue] in
      [["type": "keyDown", "value": .string(String(key))], ["type": "keyUp", "value": .string(String(key))]]
    }
    try await driver.command(
      "POST", "\(session)/actions", ["actions": [["type": "key", "id": "keyboard", "actions": .array(actions)]]])
  }

  /// Writes a picture of the page, for eyes.
  func screenshot(to path: String) async throws {
    guard let text = try await driver.command("GET", "\(session)/screenshot").string,
      let bytes = Data(base64Encoded: text)
    else { throw EndToEndFailure("no screenshot came") }
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  /// Ends the browser as a crash would: no goodbye of any layer.
  func crash() {
    Glibc.kill(browser, SIGKILL)
  }

  func close() async {
    _ = try? await driver.command("DELETE", session)
  }
}
