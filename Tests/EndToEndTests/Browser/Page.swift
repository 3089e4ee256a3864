import Foundation
import Glibc
import Signaling

/// One page in a browser process of its own.
struct Page: Sendable {
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

  /// Runs the body of an async function in the page and waits for what it returns; a throw becomes a failure here.
  ///
  /// `arguments_[0]` and on are `arguments`. Waiting happens inside the page, on its events: no test polls or sleeps.
  @discardableResult
  func run(_ body: String, _ arguments: JSONValue...) async throws -> JSONValue {
    let script = """
      const arguments_ = [...arguments], done = arguments_.pop();
      (async function () { \(body) }).apply(null, arguments_)
        .then((value) => done({ value: value ?? null }), (error) => done({ error: String(error?.message ?? error) }));
      """
    let answer = try await driver.command(
      "POST", "\(session)/execute/async", ["script": .string(script), "args": .array(arguments)])
    if let error = answer.object?["error"]?.string { throw EndToEndFailure("the page says: \(error)") }
    return answer.object?["value"] ?? .null
  }

  /// Opens the studio and waits until its first view stands.
  func openStudio(of service: Service, at path: String = "/") async throws {
    try await open("\(service.address)\(path)")
    try await untilShown("#view .view > *, #view .view[data-shown]")
  }

  /// Waits until something on the page fits a selector and can be seen.
  func untilShown(_ selector: String) async throws {
    try await untilTrue("[...document.querySelectorAll(\(JSONValue.string(selector).text))].some((node) => node.checkVisibility())")
  }

  /// Waits until a JavaScript expression over the page holds; it is looked at with every frame that the page paints.
  func untilTrue(_ condition: String) async throws {
    try await run(
      """
      await new Promise((resolve, reject) => {
        const look = () => {
          try { (\(condition)) ? resolve() : requestAnimationFrame(look); } catch (error) { reject(error); }
        };
        look();
      });
      """)
  }

  /// What the browser's console has of errors and warnings since it was asked last.
  func complaints() async throws -> [String] {
    let entries = try await driver.command("POST", "\(session)/se/log", ["type": "browser"]).array ?? []
    return entries.compactMap(\.object).filter { ["SEVERE", "WARNING"].contains($0["level"]?.string) }
      .compactMap { $0["message"]?.string }
  }

  /// Runs a script in every page that is opened from now on, before anything of that page's own.
  func prepare(_ script: String) async throws {
    try await driver.command(
      "POST", "\(session)/goog/cdp/execute",
      ["cmd": "Page.addScriptToEvaluateOnNewDocument", "params": ["source": .string(script)]])
  }

  /// Types keys as a person does, into whatever has the focus.
  func press(_ keys: String) async throws {
    let actions = keys.flatMap { key -> [JSONValue] in
      [["type": "keyDown", "value": .string(String(key))], ["type": "keyUp", "value": .string(String(key))]]
    }
    try await driver.command(
      "POST", "\(session)/actions", ["actions": [["type": "key", "id": "keyboard", "actions": .array(actions)]]])
  }

  /// Joins through the hook; answers the studio's state.
  @discardableResult
  func join(_ room: String, as name: String, _ options: JSONObject = [:]) async throws -> JSONValue {
    var all: JSONObject = ["name": .string(name), "room": .string(room)]
    for member in options.members { all[member.name] = member.value }
    return try await run("return await jamjar.join(arguments_[0]);", .object(all))
  }

  func leave() async throws {
    try await run("await jamjar.leave();")
  }

  /// Waits until the studio's state fulfils a JavaScript expression over `state`.
  @discardableResult
  func until(_ condition: String) async throws -> JSONValue {
    try await run("return await jamjar.until((state) => \(condition));")
  }

  /// The text of the page's first element that fits a selector, as people see it.
  func text(_ selector: String) async throws -> String {
    try await run("return document.querySelector(arguments_[0])?.innerText ?? '';", .string(selector)).string ?? ""
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

extension Page {
  /// Fills a form's fields in and sends it as the return key does; then awaits `script`, begun before.
  func submit(_ form: String, _ fields: [String: String], then script: String = "") async throws {
    let values = JSONObject(fields.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value)) })
    try await run(
      """
      const after = (async () => { \(script) })();
      for (const [selector, value] of Object.entries(arguments_[1])) document.querySelector(selector).value = value;
      document.querySelector(arguments_[0]).requestSubmit();
      await after;
      """, .string(form), .object(values))
  }
}
