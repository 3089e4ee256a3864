import Foundation
import Music
import NIOHTTP1
import Rooms
import Signaling
import Testing

@testable import Server

/// Callbacks on their way to the server of an application.
@Suite(.timeLimit(.minutes(5))) struct OpenTokCallbackDeliveryTests {
  private static let project = "46000001"
  private let loopback = WebhookResolver { _ in ["127.0.0.1"] }

  /// Has archives and sessions told to the receiver, with pauses of a few milliseconds.
  private func point(_ configuration: inout ServerConfiguration, at port: Int) throws {
    let key = OpenTokCallbackDeliveryTests.project
    let address = "http://hooks.invalid:\(port)"
    configuration.openTokProjects = try OpenTokProjects(
      parsing: "\(key):\(OpenTokRESTTests.secret)",
      callbacks: "\(key) archive \(address)/archives,\(key) session \(address)/sessions")
    configuration.webhooks = WebhookConfiguration(endpoints: [], allowsPrivate: true)
    configuration.webhooks.schedule.firstPause = 0.02
  }

  private func words(_ requests: [WebhookReceiver.Received], _ member: String, at uri: String) throws -> [String] {
    try requests.filter { $0.uri == uri }.compactMap {
      try JSONValue(parsing: $0.body).object?[member]?.string
    }
  }

  @Test func archivesAndSessionsAreToldInOrderAndSigned() async throws {
    try await WebhookReceiver.with { receiver async throws in
      try await TestService.with({ try point(&$0, at: receiver.port) }, resolver: loopback) { service async throws in
        let (session, room) = try await OpenTokRESTTests.session(service)
        let ada = try await OpenTokRESTTests.musician("Ada", in: room, of: service)
        let path = "/v2/project/\(OpenTokCallbackDeliveryTests.project)/archive"
        let headers = [OpenTokRESTTests.proof(), OpenTokRESTTests.json]
        let body: JSONValue = ["sessionId": .string(session), "outputMode": "individual", "hasVideo": false]
        let started = try await service.send(.POST, path, headers, body: body.text)
        #expect(started.status == 200, "\(started.text)")
        let id = try #require(try started.json["id"]?.string)
        #expect(try await service.send(.POST, "\(path)/\(id)/stop", headers).status == 200)
        // Three of the session, and started, stopped, available of the archive.
        var requests = await receiver.first(6)
        await ada.leave()
        requests += await receiver.first(3)
        // The project's secret as it is.
        let secret: String = "whsec_" + Data(OpenTokRESTTests.secret.utf8).base64EncodedString()
        let unsigned = try requests.filter { try !$0.isSigned(by: secret) }
        #expect(unsigned.isEmpty)
        let events = try words(requests, "event", at: "/sessions")
        #expect(
          events == [
            "sessionCreated", "connectionCreated", "streamCreated", "streamDestroyed", "connectionDestroyed",
            "sessionDestroyed",
          ])
        let statuses = try words(requests, "status", at: "/archives")
        #expect(statuses == ["started", "stopped", "available"])
        let ids = try words(requests, "id", at: "/archives")
        #expect(Set(ids) == [id])
        let deliveries = Set(requests.map { $0.headers.first(name: "webhook-id") })
        #expect(deliveries.count == 9)
      }
    }
  }

  /// The rooms are closed by the shutdown itself, and what they say then is kept for the next start.
  @Test func theEndOfTheServiceIsTold() async throws {
    let data = try DataFolder()
    try await WebhookReceiver.with(reply: { _, _ in .init(status: 500) }) { receiver async throws in
      try await TestService.with(
        { try point(&$0, at: receiver.port) }, data: data, resolver: loopback
      ) { service async throws in
        let (_, room) = try await OpenTokRESTTests.session(service)
        _ = try await OpenTokRESTTests.musician("Ada", in: room, of: service)
        _ = await receiver.first(1)
      }
      let root = data.path + "/_webhooks"
      let folders = try FileManager.default.contentsOfDirectory(atPath: root).filter { $0.contains("-session-") }
      let folder = try #require(folders.first)
      let files = try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)").sorted()
      let last = try #require(files.last { $0.hasSuffix(".json") })
      let text = try String(contentsOfFile: "\(root)/\(folder)/\(last)", encoding: .utf8)
      #expect(text.contains("sessionDestroyed"))
    }
  }
}
