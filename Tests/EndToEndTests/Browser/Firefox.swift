import Foundation
import Signaling

/// One page in a Firefox process of its own (Debian's firefox-esr), driven by WebDriver BiDi.
final class Firefox: WebPage {
  /// What a profile has that tests need; each says why.
  private static let preferences = [
    // A microphone that plays a tone, which nobody has to allow.
    "media.navigator.streams.fake": "true", "media.navigator.permission.disabled": "true",
    // Sound needs no click.
    "media.autoplay.default": "0", "media.autoplay.blocking_policy": "0",
    // Nothing is asked of the world outside.
    "app.normandy.enabled": "false", "app.update.enabled": "false", "browser.safebrowsing.update.enabled": "false",
    "browser.shell.checkDefaultBrowser": "false", "datareporting.policy.dataSubmissionEnabled": "false",
    "extensions.update.enabled": "false", "network.captive-portal-service.enabled": "false",
    "network.connectivity-service.enabled": "false", "services.settings.server": "\"data:,\"",
  ]

  /// How long a page may wait for something, as for chromedriver's pages.
  private static let patience = 90_000

  private let process: ChildProcess
  private let profile: TemporaryFolder
  private let driver: BiDi
  private let context: JSONValue

  /// Starts a headless Firefox with an empty page.
  init() async throws {
    profile = try TemporaryFolder()
    let preferences = Firefox.preferences.map { "user_pref(\"\($0.key)\", \($0.value));\n" }.sorted().joined()
    try Data(preferences.utf8).write(to: URL(fileURLWithPath: profile.path + "/user.js"))
    process = try ChildProcess(
      "nice",
      [
        "-n", "\(BrowserNiceness.current)", "firefox-esr", "--headless", "--no-remote", "--profile", profile.path,
        "--width", "1100",
        "--height", "800", "--remote-debugging-port", "0", "about:blank",
      ])
    let announcement = await process.line { $0.contains("WebDriver BiDi listening on ") }
    guard let port = announcement?.split(separator: ":").last.flatMap({ Int($0) }) else {
      throw EndToEndFailure("Firefox did not start; apt-get install firefox-esr\n\(process.text)")
    }
    driver = try await BiDi(port: port)
    try await driver.command("session.new", ["capabilities": [:]])
    let contexts = try await driver.command("browsingContext.getTree")["contexts"]?.array
    guard let context = contexts?.first?.object?["context"] else { throw EndToEndFailure("Firefox has no page") }
    self.context = context
  }

  func open(_ address: String) async throws {
    try await driver.command(
      "browsingContext.navigate", ["context": context, "url": .string(address), "wait": "complete"])
  }

  func reload() async throws {
    try await driver.command("browsingContext.reload", ["context": context, "wait": "complete"])
  }

  func run(_ body: String, with arguments: [JSONValue]) async throws -> JSONValue {
    // Arguments and results go as JSON text: BiDi's own values would have to be translated both ways.
    let function = """
      async (given) => {
        const arguments_ = JSON.parse(given);
        const limit = new Promise((_, reject) => setTimeout(() => reject(new Error("it waits in vain")), \(Firefox.patience)));
        try {
          const value = await Promise.race([(async function () { \(body) })(), limit]);
          return JSON.stringify({ value: value ?? null });
        } catch (error) {
          return JSON.stringify({ error: String(error?.message ?? error) });
        }
      }
      """
    let result = try await driver.command(
      "script.callFunction",
      [
        "functionDeclaration": .string(function), "awaitPromise": true, "userActivation": true,
        "target": ["context": context],
        "arguments": [["type": "string", "value": .string(JSONValue.array(arguments).text)]],
      ])
    guard let text = result["result"]?.object?["value"]?.string, let answer = try? JSONValue(parsing: text).object
    else { throw EndToEndFailure("the page says: \(JSONValue.object(result).text.prefix(500))") }
    if let error = answer["error"]?.string { throw EndToEndFailure("the page says: \(error)") }
    return answer["value"] ?? .null
  }

  func screenshot(to path: String) async throws {
    let text = try await driver.command("browsingContext.captureScreenshot", ["context": context])["data"]?.string
    guard let text, let bytes = Data(base64Encoded: text) else { throw EndToEndFailure("no screenshot came") }
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  func close() async {
    driver.close()
    await process.terminate()
  }
}
