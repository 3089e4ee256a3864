import Foundation
import Library
import Logging
import Machines
import Music
import Recording
import ServiceLifecycle
import Signaling
import Synchronization

/// Tells the servers of applications what happens to archives and in sessions, by the same way as webhooks: signed,
/// repeated until accepted, and only to addresses that a webhook may have.
///
/// In order for each address, and at least once. The signing key is the project's secret (Standard Webhooks).
final class OpenTokCallbacks: NamedService {
  /// The kinds of event that an address of the settings receives.
  private enum Group: String, Sendable, CaseIterable {
    case session, archive, broadcast

    /// - Parameter event: the member `event` of a callback.
    init(of event: String) { self = Group(rawValue: event) ?? .session }
  }

  private struct Line: Sendable {
    var project: String
    var group: Group
    var road: CallbackRoad.Line
  }

  private struct State {
    /// The deliveries to registered addresses, by the callbacks' ids.
    var deliveries: [String: Task<Void, Never>] = [:]
    var isOver = false
  }

  /// Those of the settings.
  private let lines: [Line]
  private let projects: OpenTokProjects
  private let sessions: OpenTokSessions
  private let road: CallbackRoad
  private let allowsPrivate: Bool
  private let book: OpenTokCallbackBook
  private let state = Mutex(State())

  /// - Throws: `ConfigurationProblem` for an address that can be none.
  init(
    _ desk: OpenTokDesk, configuration: WebhookConfiguration, road: CallbackRoad
  ) throws(ConfigurationProblem) {
    (projects, sessions) = (desk.projects, desk.sessions)
    self.road = road
    allowsPrivate = configuration.allowsPrivate
    book = OpenTokCallbackBook(recordings: road.recordings, logger: road.logger)
    var lines: [Line] = []
    for project in desk.projects.all {
      let addresses = [
        (Group.session, project.callbacks.session), (.archive, project.callbacks.archive),
        (.broadcast, project.callbacks.broadcast),
      ]
      for (group, text) in addresses {
        guard let text else { continue }
        guard let url = WebhookURL(text) else {
          throw ConfigurationProblem(
            "the \(group.rawValue) callback of OpenTok project \(project.key) has no valid address; use "
              + "https://host[:port]/path[?query], without user or fragment")
        }
        try url.check(allowsPrivate: configuration.allowsPrivate, of: "OpenTok callback")
        let endpoint = WebhookEndpoint(url: url, secrets: [Secret(project.secret)], kinds: [])
        let road = CallbackRoad.Line(
          name: "opentok \(project.key) \(group.rawValue)",
          key: "opentok-\(project.key)-\(group.rawValue)-\(endpoint.key)", endpoint: endpoint)
        lines.append(Line(project: project.key, group: group, road: road))
      }
    }
    self.lines = lines
  }

  // MARK: What happens

  /// Tells of an archive's new status.
  func tell(_ archive: OpenTokArchive) async {
    var body = archive.json(url: nil)
    body["event"] = "archive"
    await add(body, of: archive.project, at: archive.updatedAt)
  }

  /// Tells of a broadcast's new status, or of a new one of a server to which it is sent.
  func tell(_ broadcast: OpenTokBroadcast) async {
    var body = broadcast.json(hls: nil)
    body["event"] = "broadcast"
    await add(body, of: broadcast.project, at: broadcast.updatedAt)
  }

  private func add(_ body: JSONObject, of project: String, at time: WallTime) async {
    let event = body["event"]?.string ?? ""
    for line in lines where line.project == project && line.group == Group(of: event) {
      await road.add(WebhookDelivery(body, at: time), to: line.road)
    }
    for callback in await book.list(of: project) where callback.wants(event) {
      if let line = line(of: callback) { await road.add(WebhookDelivery(body, at: time), to: line) }
    }
  }

  // MARK: Registered by REST

  /// Oldest first.
  func registered(of project: OpenTokProject) async -> [OpenTokCallback] { await book.list(of: project.key) }

  /// - Throws: `OpenTokRefusal` 400 for an address that can be none, 409, 429, 503.
  func register(_ callback: OpenTokCallback) async throws(OpenTokRefusal) {
    guard let url = WebhookURL(callback.url) else {
      throw .badRequest(
        "the \"url\" is no valid address; use https://host[:port]/path[?query], without user or fragment")
    }
    do throws(ConfigurationProblem) {
      try url.check(allowsPrivate: allowsPrivate, of: "callback")
    } catch {
      throw .badRequest(error.description)
    }
    try await book.add(callback)
    deliver(callback)
  }

  /// - Throws: `OpenTokRefusal` 404, 503.
  func unregister(_ id: String, of project: OpenTokProject) async throws(OpenTokRefusal) {
    let callback = try await book.remove(id, of: project.key)
    state.withLock { $0.deliveries.removeValue(forKey: callback.id) }?.cancel()
    if let line = line(of: callback) { await road.end(line) }
  }

  /// Nil if its project is no longer set, or its address may be none any more.
  private func line(of callback: OpenTokCallback) -> CallbackRoad.Line? {
    guard let project = projects.all.first(where: { $0.key == callback.project }), let url = WebhookURL(callback.url)
    else { return nil }
    return CallbackRoad.Line(
      name: "opentok \(project.key) registered \(callback.group.rawValue)",
      key: "opentok-\(project.key)-registered-\(callback.id)",
      endpoint: WebhookEndpoint(url: url, secrets: [Secret(project.secret)], kinds: []))
  }

  private func deliver(_ callback: OpenTokCallback) {
    guard let line = line(of: callback) else { return }
    state.withLock { state in
      guard !state.isOver, state.deliveries[callback.id] == nil else { return }
      state.deliveries[callback.id] = Task { await self.road.deliver(line) }
    }
  }

  // MARK: Life

  func load() async {
    guard !projects.all.isEmpty else { return }
    await book.load()
  }

  func run() async throws {
    guard !projects.all.isEmpty else {
      try? await gracefulShutdown()
      return
    }
    for callback in await book.list(of: nil) { deliver(callback) }
    await withTaskGroup { group in
      for line in lines { group.addTask { await self.road.deliver(line.road) } }
      group.addTask { await self.followSessions() }
      // What is not delivered now follows at the next start.
      try? await gracefulShutdown()
      group.cancelAll()
    }
    let deliveries = state.withLock { state in
      state.isOver = true
      return Array(state.deliveries.values)
    }
    for delivery in deliveries { delivery.cancel() }
  }

  private func followSessions() async {
    while !Task.isCancelled {
      for await news in await sessions.news() {
        guard let body = news.callback else { continue }
        // Of its own, as what the rooms say last comes when this task is cancelled already, and files are not written then.
        await Task { await self.add(body, of: news.session.key, at: news.time) }.value
      }
      guard !Task.isCancelled else { return }
      road.logger.error("events of OpenTok sessions came faster than they could be stored for callbacks; some are lost")
    }
  }
}
