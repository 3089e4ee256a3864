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
    configuration.doors[OpenTokConfiguration.self].projects = try OpenTokProjects(
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

  // MARK: Registered by REST

  private static let base = "/v2/project/\(project)/callback"
  /// A proof holds for three minutes.
  private static var headers: [(String, String)] { [OpenTokRESTTests.proof(), OpenTokRESTTests.json] }

  private func configure(_ configuration: inout ServerConfiguration, allowsPrivate: Bool = true) throws {
    configuration.doors[OpenTokConfiguration.self].projects = try OpenTokProjects(
      parsing: "\(OpenTokCallbackDeliveryTests.project):\(OpenTokRESTTests.secret),46000002:"
        + OpenTokRESTTests.otherSecret, callbacks: nil)
    configuration.webhooks = WebhookConfiguration(endpoints: [], allowsPrivate: allowsPrivate)
    configuration.webhooks.schedule.firstPause = 0.02
  }

  private func register(
    _ service: TestService, _ group: String, _ event: String, _ url: String
  ) async throws -> TestService.Answer {
    let body: JSONValue = ["group": .string(group), "event": .string(event), "url": .string(url)]
    return try await service.send(
      .POST, OpenTokCallbackDeliveryTests.base, OpenTokCallbackDeliveryTests.headers, body: body.text)
  }

  private func list(_ service: TestService) async throws -> [JSONObject] {
    let answer = try await service.send(
      .GET, OpenTokCallbackDeliveryTests.base, OpenTokCallbackDeliveryTests.headers)
    return try #require(try JSONValue(parsing: answer.bytes).array?.compactMap(\.object), "\(answer.text)")
  }

  /// Also after a restart of the service, and no longer once it is deleted.
  @Test func anAddressThatAnApplicationRegistersIsToldWhatItWants() async throws {
    let data = try DataFolder()
    try await WebhookReceiver.with { receiver async throws in
      let address = "http://hooks.invalid:\(receiver.port)"
      var id = ""
      try await TestService.with({ try configure(&$0) }, data: data, resolver: loopback) { service async throws in
        let answer = try await register(service, "stream", "status", "\(address)/streams")
        #expect(answer.status == 200 && answer["content-type"] == "application/json", "\(answer.text)")
        #expect(try answer.json["uri"] == .string("\(address)/streams") && answer.json["group"] == "stream")
        id = try #require(try answer.json["id"]?.string)
        #expect(try await register(service, "connection", "destroyed", "\(address)/gone").status == 200)
        let (_, room) = try await OpenTokRESTTests.session(service)
        let ada = try await OpenTokRESTTests.musician("Ada", in: room, of: service)
        await ada.leave()
        let requests = await receiver.first(3)
        #expect(try words(requests, "event", at: "/streams") == ["streamCreated", "streamDestroyed"])
        #expect(try words(requests, "event", at: "/gone") == ["connectionDestroyed"])
        let secret: String = "whsec_" + Data(OpenTokRESTTests.secret.utf8).base64EncodedString()
        let unsigned = try requests.filter { try !$0.isSigned(by: secret) }
        #expect(unsigned.isEmpty)
      }
      try await TestService.with({ try configure(&$0) }, data: data, resolver: loopback) { service async throws in
        #expect(try await list(service).count == 2)
        let path = "\(OpenTokCallbackDeliveryTests.base)/\(id)"
        #expect(try await service.send(.DELETE, path, OpenTokCallbackDeliveryTests.headers).status == 204)
        #expect(try await service.send(.DELETE, path, OpenTokCallbackDeliveryTests.headers).status == 404)
        let (_, room) = try await OpenTokRESTTests.session(service)
        let ada = try await OpenTokRESTTests.musician("Ada", in: room, of: service)
        await ada.leave()
        let requests = await receiver.first(1)
        #expect(try words(requests, "event", at: "/gone") == ["connectionDestroyed"])
        #expect(try await list(service).compactMap { $0["event"]?.string } == ["destroyed"])
      }
    }
  }

  @Test func addressesThatCanBeNoneAreNotRegistered() async throws {
    try await TestService.with({ try configure(&$0, allowsPrivate: false) }) { service async throws in
      for (group, event, url, status) in [
        ("archive", "created", "https://a.example/", 404), ("weather", "status", "https://a.example/", 404),
        ("archive", "status", "", 400), ("archive", "status", "https://u@a.example/", 400),
        ("archive", "status", "http://a.example/", 400), ("archive", "status", "https://10.0.0.1/", 400),
      ] {
        let answer = try await register(service, group, event, url)
        #expect(answer.status == status, "\(group) \(url) \(answer.text)")
      }
      #expect(try await register(service, "archive", "status", "https://a.example/").status == 200)
      #expect(try await register(service, "archive", "status", "https://a.example/").status == 409)
      for number in 2...16 {
        #expect(try await register(service, "archive", "status", "https://a.example/\(number)").status == 200)
      }
      #expect(try await register(service, "archive", "status", "https://a.example/17").status == 429)
      // Another project neither sees nor deletes them.
      let other = [
        OpenTokRESTTests.proof(key: "46000002", secret: OpenTokRESTTests.otherSecret), OpenTokRESTTests.json,
      ]
      let id = try #require(try await list(service).first?["id"]?.string)
      let theirs = try await service.send(.GET, "/v2/project/46000002/callback", other)
      #expect(theirs.status == 200 && theirs.text == "[]")
      #expect(try await service.send(.DELETE, "/v2/project/46000002/callback/\(id)", other).status == 404)
      #expect(try await list(service).count == 16)
    }
  }
}
