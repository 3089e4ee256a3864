import Synchronization

/// A service, and browsers on it, that are all gone when a test is over, also when it fails.
final class Stage: Sendable {
  let service: Service
  private let driver: WebDriver
  private let pages = Mutex<[any WebPage]>([])

  private init(service: Service, driver: WebDriver) {
    self.service = service
    self.driver = driver
  }

  /// Runs a test's body between the start and the end of everything; `options` are those of `jamjar serve`.
  static func run(_ options: String..., body: (Stage) async throws -> Void) async throws {
    try await run(options, body: body)
  }

  /// As above, with the options as a list, and with a data folder that holds something already.
  static func run(
    _ options: [String], in folder: TemporaryFolder? = nil, environment: [String: String] = [:],
    body: (Stage) async throws -> Void
  ) async throws {
    // Both at the same time, at the start and at the end: every test of a page waits for them.
    async let driving = attempt { try await WebDriver() }
    let serving = await attempt { try await Service(options, folder: folder, environment: environment) }
    let driver: WebDriver
    let service: Service
    do {
      driver = try await driving.get()
    } catch {
      await (try? serving.get())?.close()
      throw error
    }
    do {
      service = try serving.get()
    } catch {
      await driver.close()
      throw error
    }
    let stage = Stage(service: service, driver: driver)
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(stage))
    } catch {
      result = .failure(error)
    }
    await withDiscardingTaskGroup { group in
      for page in stage.pages.withLock({ $0 }) { group.addTask { await page.close() } }
    }
    async let rest: Void = driver.close()
    await service.close()
    await rest
    try result.get()
  }

  private static func attempt<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async -> Result<Value, any Error> {
    do {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }

  /// Runs a test with both takes of `TonesFolder` and one page.
  static func runWithTones(_ body: (Stage, Page, TonesFolder.Copy) async throws -> Void) async throws {
    let copy = try await TonesFolder.copy()
    try await run([], in: copy.folder) { stage in
      try await body(stage, try await stage.openPage(), copy)
    }
  }

  /// A browser of its own, with nothing open in it.
  func openBrowser(_ browser: BrowserSettings = BrowserSettings()) async throws -> Page {
    let page = try await driver.openBrowser(browser)
    pages.withLock { $0.append(page) }
    return page
  }

  /// Two of them, which start at the same time.
  func openTwoBrowsers() async throws -> (Page, Page) {
    async let first = openBrowser()
    async let second = openBrowser()
    return (try await first, try await second)
  }

  /// The studio in a browser of its own; its microphone is the file at `microphone`.
  func openStudio(
    microphone: String? = nil, at path: String = "/", in program: BrowserSettings.Program = .shell
  ) async throws -> Page {
    let sound = microphone.map(BrowserSettings.Sound.file) ?? .beeps
    let page = try await openBrowser(BrowserSettings(sound: sound, program: program))
    try await page.openStudio(of: service, at: path)
    return page
  }

  /// The studio in so many browsers, which start at the same time.
  func openStudios(_ count: Int) async throws -> [Page] {
    try await withThrowingTaskGroup(of: Page.self) { group in
      for _ in 0..<count { group.addTask { try await self.openStudio() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// A Firefox with an empty page; all other pages are Chromium's.
  func openFirefox() async throws -> Firefox {
    let page = try await Firefox()
    pages.withLock { $0.append(page) }
    return page
  }

  /// An empty page in a browser of its own.
  func openPage() async throws -> Page {
    let page = try await driver.openBrowser()
    pages.withLock { $0.append(page) }
    return page
  }

  /// The studio in a browser whose microphone plays the tune of `seed`.
  func openMusician(seed: UInt64) async throws -> (microphone: Microphone, page: Page) {
    let microphone = try Microphone(seed: seed, path: service.path("microphone-\(seed).wav"))
    return (microphone, try await openStudio(microphone: microphone.path))
  }
}
