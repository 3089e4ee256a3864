import Machines
import Music
import NIOHTTP1
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Server

/// The REST interface of Remote Monster over HTTP.
@Suite(.timeLimit(.minutes(5))) struct RemonRESTTests {
  static let json = ("Content-Type", "application/json")
  static let services = "band:a-key-of-ours,den:another-key-here@attic"

  static func withServices(_ body: (TestService) async throws -> Void) async throws {
    try await TestService.with(
      { configuration throws in
        configuration.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
        configuration.doors[RemonConfiguration.self].services = try AppAccounts(parsing: services, of: .remon)
      },
      ice: [ICEServer(urls: ["stun:stun.example", "turn:turn.example"])], body)
  }

  static func initBody(
    service: String = "band", key: String = "a-key-of-ours", conference: String? = nil, meta: String? = nil
  ) -> JSONValue {
    var body: JSONObject = [
      "credential": ["serviceId": .string(service), "key": .string(key)], "env": ["os": "web"],
    ]
    if let conference { body["id"] = .string(conference) }
    if let meta { body["userMeta"] = .string(meta) }
    return .object(body)
  }

  static func token(_ service: TestService, conference: String? = nil, meta: String? = nil) async throws -> String {
    let body = initBody(conference: conference, meta: meta)
    let answer = try await service.send(.POST, "/rest/init", [json], body: body.text)
    let token = try answer.json["token"]?.string
    return try #require(token, "\(answer.text)")
  }

  @Test func initGivesATokenServersAndAChannel() async throws {
    try await RemonRESTTests.withServices { service async throws in
      let answer = try await service.send(
        .POST, "/rest/init", [RemonRESTTests.json], body: RemonRESTTests.initBody().text)
      #expect(answer.status == 200)
      let reply = try answer.json
      let servers = reply["iceServers"]?.array?.compactMap { $0.object?["urls"]?.string } ?? []
      #expect(servers == ["stun:stun.example", "turn:turn.example"], "one address each")
      #expect(reply["sigurl"]?.string == "ws://127.0.0.1:\(service.port)/ws")
      let key = reply["key"]?.string ?? ""
      #expect((4...1_024).contains(key.count))
    }
  }

  @Test(arguments: [("band", "wrong-key-here"), ("nobody", "a-key-of-ours"), ("band", ""), ("den", "a-key-of-ours")])
  func aWrongServiceOrKeyIs401WithACapitalE(name: String, key: String) async throws {
    try await RemonRESTTests.withServices { service async throws in
      let body = RemonRESTTests.initBody(service: name, key: key).text
      let answer = try await service.send(.POST, "/rest/init", [RemonRESTTests.json], body: body)
      #expect(answer.status == 401)
      let sentence = try answer.json["Error"]?.string ?? ""
      #expect(sentence.count > 10 && (key.isEmpty || !sentence.contains(key)))
      for wrong in ["", "[]", "{}", #"{"credential":{"serviceId":5}}"#] {
        let refused = try await service.send(.POST, "/rest/init", [RemonRESTTests.json], body: wrong)
        #expect(refused.status == 400, "\(wrong)")
      }
    }
  }

  @Test func withoutKeysAnyServiceIsRight() async throws {
    try await TestService.with { service async throws in
      let body = RemonRESTTests.initBody(service: "whatever", key: "x").text
      #expect(try await service.send(.POST, "/rest/init", [RemonRESTTests.json], body: body).status == 200)
      let calls = try await service.send(.GET, "/rest/call/whatever")
      #expect(calls.status == 200 && calls.text.hasPrefix("[]"))
    }
  }

  @Test func searchingNeedsATokenOfTheService() async throws {
    try await RemonRESTTests.withServices { service async throws in
      let token = try await RemonRESTTests.token(service)
      for path in ["/rest/room/band", "/rest/call/band", "/rest/rooms/band/take5"] {
        #expect(try await service.send(.GET, path).status == 401, "\(path)")
        #expect(try await service.send(.GET, "\(path)?token=wrong").status == 401, "\(path)")
        let shown = try await service.send(.GET, path, [("Authorization", "Bearer \(token)")])
        #expect(shown.status == 200 && shown.text.hasPrefix("[]"), "\(path)")
        #expect(try await service.send(.GET, "\(path)?token=\(token)").status == 200, "\(path)")
      }
      #expect(try await service.send(.GET, "/rest/call/den?token=\(token)").status == 401, "another service")
      let short = try await service.send(.GET, "/rest/rooms/band/abc?token=\(token)")
      #expect(short.status == 400)
    }
  }

  @Test func logEntriesAreCounted() async throws {
    try await RemonRESTTests.withServices { service async throws in
      let entry: JSONValue = ["topic": "quality", "messages": ["log": "quality.start"]]
      for _ in 0..<2 {
        #expect(try await service.send(.PUT, "/topics", [RemonRESTTests.json], body: entry.text).status == 200)
      }
      #expect(try await service.send(.PUT, "/topics", [RemonRESTTests.json], body: "x").status == 400)
      let key = ("Authorization", "Bearer \(TestService.key)")
      let metrics = try await service.send(.GET, "/metrics", [key]).text
      #expect(metrics.contains("jamjar_remon_log_entries_total{topic=\"quality\"} 2"))
    }
  }

  /// The key of a service stands in every app: it closes nothing and lists nothing of others.
  @Test func theAdminsSecretIsNoAppsKey() async throws {
    try await RemonRESTTests.withServices { service async throws in
      for path in ["/v1/search", "/lambda/broadcast-channel-list", "/lambda/channel-force-termination"] {
        var body: JSONObject = ["serviceId": "band", "secret": "a-key-of-ours", "channelId": "take5"]
        let refused = try await service.send(.POST, path, [RemonRESTTests.json], body: JSONValue.object(body).text)
        #expect(refused.status == 401, "\(path)")
        body["secret"] = .string(TestService.key)
        let answer = try await service.send(.POST, path, [RemonRESTTests.json], body: JSONValue.object(body).text)
        #expect(answer.status == (path.hasSuffix("termination") ? 404 : 200), "\(path) \(answer.text)")
      }
    }
  }

  @Test func aMixerIsANameForTheLiveMix() async throws {
    try await RemonRESTTests.withServices { service async throws in
      let basic = ("Authorization", "Basic \(Base64.standard.encode(Array("band:a-key-of-ours".utf8)))")
      let source: JSONValue = ["type": "remon", "serviceId": "band", "key": "k", "chid": "take5"]
      let body: JSONValue = ["width": 640, "height": 480, "sources": [source]]
      let headers = [basic, RemonRESTTests.json]
      let made = try await service.send(.POST, "/api/v1/mixer", headers, body: body.text)
      let id = try #require(try made.json["instanceId"]?.string, "\(made.text)")
      #expect(try await service.send(.PUT, "/api/v1/mixer/\(id)/alive", headers).status == 200)
      #expect(try await service.send(.PUT, "/api/v1/mixer/\(id)", headers, body: body.text).status == 200)
      let wrong: JSONValue = ["sources": [["type": "rtmp", "url": "x"]]]
      let refused = try await service.send(.POST, "/api/v1/mixer", headers, body: wrong.text)
      let sentence = try refused.json["error"]?.object?["message"]?.string ?? ""
      #expect(refused.status == 400 && sentence.contains("remon"))
      #expect(try await service.send(.DELETE, "/api/v1/mixer/\(id)", headers).status == 200)
      #expect(try await service.send(.DELETE, "/api/v1/mixer/\(id)", headers).status == 404)
      #expect(try await service.send(.POST, "/api/v1/mixer", [RemonRESTTests.json], body: body.text).status == 401)
    }
  }
}
