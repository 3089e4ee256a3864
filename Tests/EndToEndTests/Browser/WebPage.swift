import Foundation
import Signaling

/// A page in a browser process of its own, whichever browser it is.
protocol WebPage: Sendable {
  func open(_ address: String) async throws

  func reload() async throws

  /// Runs the body of an async function in the page and waits for what it returns; a throw becomes a failure here.
  ///
  /// `arguments_[0]` and on are `arguments`. Waiting happens inside the page, on its events: no test polls or sleeps.
  func run(_ body: String, with arguments: [JSONValue]) async throws -> JSONValue

  /// Writes a picture of the page, for eyes.
  func screenshot(to path: String) async throws

  func close() async
}

extension WebPage {
  @discardableResult
  func run(_ body: String, _ arguments: JSONValue...) async throws -> JSONValue {
    try await run(body, with: arguments)
  }

  /// Opens the studio and waits until its first view stands.
  func openStudio(of service: Service, at path: String = "/") async throws {
    try await open("\(service.address)\(path)")
    try await untilShown("#view .view > *, #view .view[data-shown]")
  }

  /// Waits until something on the page fits a selector and can be seen.
  func untilShown(_ selector: String) async throws {
    try await untilTrue(
      "[...document.querySelectorAll(\(JSONValue.string(selector).text))].some((node) => node.checkVisibility())")
  }

  /// Waits until a JavaScript expression over the page holds; it is looked at with every frame that the page paints.
  ///
  /// A minute is longer than the slowest machine needs: what is not true by then is a failure that says what stands there.
  func untilTrue(_ condition: String) async throws {
    let literal = JSONValue.string(condition).text
    try await run(
      """
      await new Promise((resolve, reject) => {
        const begin = performance.now();
        const look = () => {
          try {
            if (\(condition)) return resolve();
            if (performance.now() - begin > 60_000) throw new Error(`not true: ${\(literal)}; here stands ${document.body.innerText.slice(0, 1500)}`);
            requestAnimationFrame(look);
          } catch (error) { reject(error); }
        };
        look();
      });
      """)
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
    let literal = JSONValue.string(condition).text
    return try await run(
      """
      let timer;
      const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`not in a minute: ${\(literal)}; the state is ${JSON.stringify(jamjar.state)}`)), 60_000);
      });
      try { return await Promise.race([jamjar.until((state) => \(condition)), late]); } finally { clearTimeout(timer); }
      """)
  }

  /// The text of the page's first element that fits a selector, as people see it.
  func text(_ selector: String) async throws -> String {
    try await run("return document.querySelector(arguments_[0])?.innerText ?? '';", .string(selector)).string ?? ""
  }

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
