import Foundation
import Logging
import Machines
import Music
import Recording
import ServiceLifecycle
import Signaling

/// Tells the servers of applications what happens to archives and in sessions, by the same way as webhooks: signed,
/// repeated until accepted, and only to addresses that a webhook may have.
///
/// In order for each address, and at least once. The signing key is the project's secret (Standard Webhooks).
final class OpenTokCallbacks: Service {
  /// The kinds of event that an address receives.
  private enum Group: String, Sendable, CaseIterable {
    case session, archive, broadcast
  }

  private struct Line: Sendable {
    var project: String
    var group: Group
    var road: CallbackRoad.Line
  }

  private let lines: [Line]
  private let sessions: OpenTokSessions
  private let road: CallbackRoad

  /// - Throws: `ConfigurationProblem` for an address that can be none.
  init(
    _ desk: OpenTokDesk, configuration: WebhookConfiguration, road: CallbackRoad
  ) throws(ConfigurationProblem) {
    sessions = desk.sessions
    self.road = road
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

  /// Tells of an archive's new status.
  func tell(_ archive: OpenTokArchive) async {
    var body = archive.json(url: nil)
    body["event"] = "archive"
    await add(body, to: .archive, of: archive.project, at: archive.updatedAt)
  }

  /// Tells of a broadcast's new status, or of a new one of a server to which it is sent.
  func tell(_ broadcast: OpenTokBroadcast) async {
    var body = broadcast.json(hls: nil)
    body["event"] = "broadcast"
    await add(body, to: .broadcast, of: broadcast.project, at: broadcast.updatedAt)
  }

  private func add(_ body: JSONObject, to group: Group, of project: String, at time: WallTime) async {
    for line in lines where line.project == project && line.group == group {
      await road.add(WebhookDelivery(body, at: time), to: line.road)
    }
  }

  // MARK: Life

  func run() async throws {
    guard !lines.isEmpty else {
      try? await gracefulShutdown()
      return
    }
    await withTaskGroup { group in
      for line in lines { group.addTask { await self.road.deliver(line.road) } }
      if lines.contains(where: { $0.group == .session }) { group.addTask { await self.followSessions() } }
      // What is not delivered now follows at the next start.
      try? await gracefulShutdown()
      group.cancelAll()
    }
  }

  private func followSessions() async {
    while !Task.isCancelled {
      for await news in await sessions.news() {
        guard let body = news.callback else { continue }
        // Of its own, as what the rooms say last comes when this task is cancelled already, and files are not written then.
        await Task { await self.add(body, to: .session, of: news.session.key, at: news.time) }.value
      }
      guard !Task.isCancelled else { return }
      road.logger.error("events of OpenTok sessions came faster than they could be stored for callbacks; some are lost")
    }
  }
}
