import Foundation
import Signaling

/// Debian's chromedriver as a child: one for a test, with a browser process of its own for every page.
final class WebDriver: Sendable {
  private let process: ChildProcess
  private let address: String

  /// Its port of IPv4 is free, but now and then the same one of IPv6 is not, and it gives up.
  private static let attempts = 5

  /// Starts chromedriver on a port of its own choosing.
  init() async throws {
    for _ in 0..<WebDriver.attempts {
      let process = try ChildProcess("nice", ["-n", "\(BrowserNiceness.current)", "chromedriver", "--port=0"])
      let announcement = await process.line { $0.contains("started successfully on port ") }
      guard let port = announcement?.split(separator: " ").last.flatMap({ Int($0.filter(\.isNumber)) }) else {
        continue
      }
      self.process = process
      address = "http://127.0.0.1:\(port)"
      return
    }
    throw EndToEndFailure("chromedriver did not start; apt-get install chromium-driver")
  }

  /// Sends one WebDriver command (w3.org/TR/webdriver2) and answers its value.
  @discardableResult
  func command(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
    let answer = try await HTTP.send(method, address + path, json: body ?? (method == "POST" ? [:] : nil))
    let value = try answer.json.object?["value"] ?? .null
    guard answer.status == 200 else {
      let error = value.object
      throw EndToEndFailure("WebDriver \(path): \(error?["error"]?.string ?? "?"): \(error?["message"]?.string ?? "?")")
    }
    return value
  }

  /// Opens a headless Chromium.
  func openBrowser(_ browser: BrowserSettings = BrowserSettings()) async throws -> Page {
    let session = try await command(
      "POST", "/session",
      [
        "capabilities": [
          "alwaysMatch": [
            "browserName": "chrome", "goog:chromeOptions": browser.options, "goog:loggingPrefs": ["browser": "ALL"],
            "timeouts": ["script": 90_000, "pageLoad": 60_000],
          ]
        ]
      ])
    guard let id = session.object?["sessionId"]?.string,
      let browser = session.object?["capabilities"]?.object?["goog:processID"]?.integer
    else { throw EndToEndFailure("chromedriver opened no session: \(session.text)") }
    return Page(driver: self, session: "/session/\(id)", browser: Int32(truncatingIfNeeded: browser))
  }

  /// Ends chromedriver and all browsers that it started.
  func close() async {
    await process.terminate()
  }
}
