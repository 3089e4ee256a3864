import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Server

/// Broadcasts as servers of applications begin them: to a real RTMP server, which is the service's own, and by HLS.
@Suite(.timeLimit(.minutes(5))) struct OpenTokBroadcastDeliveryTests {
  private static let base = "/v2/project/46000001/broadcast"
  /// A proof holds for three minutes.
  private static var headers: [(String, String)] { [OpenTokRESTTests.proof(), OpenTokRESTTests.json] }

  private static func withService(
    allowsPrivate: Bool = true, _ body: (TestService) async throws -> Void
  ) async throws {
    try await TestService.with(
      { configuration throws in
        configuration.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
        configuration.rtmp = .init(0)
        configuration.webhooks = WebhookConfiguration(endpoints: [], allowsPrivate: allowsPrivate)
        configuration.doors[OpenTokConfiguration.self].projects = try OpenTokProjects(
          parsing: "46000001:\(OpenTokRESTTests.secret):Band,46000002:\(OpenTokRESTTests.otherSecret)", callbacks: nil)
      }, body)
  }

  private func start(
    _ service: TestService, _ session: String, _ more: JSONObject = [:]
  ) async throws -> TestService.Answer {
    var body: JSONObject = ["sessionId": .string(session)]
    for member in more.members { body[member.name] = member.value }
    return try await service.send(
      .POST, OpenTokBroadcastDeliveryTests.base, OpenTokBroadcastDeliveryTests.headers,
      body: JSONValue.object(body).text)
  }

  private func id(_ answer: TestService.Answer) throws -> String {
    #expect(answer.status == 200, "\(answer.text)")
    return try #require(try answer.json["id"]?.string)
  }

  private func read(_ service: TestService, _ tail: String) async throws -> TestService.Answer {
    try await service.send(
      .GET, "\(OpenTokBroadcastDeliveryTests.base)\(tail)", OpenTokBroadcastDeliveryTests.headers)
  }

  private func status(_ answer: TestService.Answer) throws -> String? {
    try answer.json["broadcastUrls"]?.object?["rtmp"]?.array?.first?.object?["status"]?.string
  }

  @Test func theMixReachesAnRTMPServerUntilItIsStopped() async throws {
    try await OpenTokBroadcastDeliveryTests.withService { service async throws in
      let (session, room) = try await OpenTokRESTTests.session(service)
      let ada = try await OpenTokRESTTests.musician("Ada", in: room, of: service)
      let port = try #require(service.rtmpPort)
      let token = try await TestService.token("stage")
      let target: JSONValue = [
        "id": "stage", "serverUrl": .string("rtmp://127.0.0.1:\(port)/stage"),
        "streamName": .string("mix-of-the-band?token=\(token)"),
      ]
      let id = try id(try await start(service, session, ["outputs": ["rtmp": [target]]]))
      // Heard there: a musician of another room, whose AAC is decoded.
      let stage = try RoomName(checking: "stage")
      try await eventually("it is heard at the target") {
        let members = await service.broker.snapshot(of: stage)?.members ?? []
        return members.contains { $0.participant.name.description == "mix-of-the-band" && $0.isPublishing }
      }
      try await eventually("it is live") { try status(try await read(service, "/\(id)")) == "live" }
      // Nobody in the session sees that it is sent.
      #expect(await service.broker.snapshot(of: room)?.members.count == 1)
      let list = try await read(service, "?sessionId=\(session)")
      #expect(try list.json["count"] == 1 && list.json["items"]?.array?.first?.object?["id"] == .string(id))
      let stop = "\(OpenTokBroadcastDeliveryTests.base)/\(id)/stop"
      let stopped = try await service.send(.POST, stop, OpenTokBroadcastDeliveryTests.headers)
      #expect(try stopped.status == 200 && stopped.json["status"] == "stopped", "\(stopped.text)")
      try await eventually("the musician there is gone") {
        await service.broker.snapshot(of: stage)?.members.isEmpty ?? true
      }
      #expect(try await read(service, "").json["count"] == 0)
      #expect(try await read(service, "/\(id)").json["status"] == "stopped")
      #expect(try await service.send(.POST, stop, OpenTokBroadcastDeliveryTests.headers).status == 409)
      await ada.leave()
    }
  }

  @Test func playersReadThePlaylistAndItsSegmentsAtASecretAddress() async throws {
    try await OpenTokBroadcastDeliveryTests.withService { service async throws in
      let (session, room) = try await OpenTokRESTTests.session(service)
      let ada = try await OpenTokRESTTests.musician("Ada", in: room, of: service)
      let started = try await start(service, session, ["outputs": ["hls": ["lowLatency": true]]])
      let id = try id(started)
      let url = try #require(try started.json["broadcastUrls"]?.object?["hls"]?.string)
      let path: String = "/" + url.split(separator: "/").dropFirst(2).joined(separator: "/")
      let folder: String = "/" + path.split(separator: "/").dropLast().joined(separator: "/")
      let player = [("Origin", "https://app.example")]
      try await eventually("there is a segment") {
        try await service.send(.GET, path, player).text.contains("#EXTINF:")
      }
      let playlist = try await service.send(.GET, path, player)
      #expect(playlist["content-type"] == "application/vnd.apple.mpegurl")
      #expect(playlist["access-control-allow-origin"] == "*")
      let name = try #require(playlist.text.split(separator: "\n").first { $0.hasSuffix(".aac") })
      let segment = try await service.send(.GET, "\(folder)/\(name)", player)
      #expect(segment.status == 200 && segment["content-type"] == "audio/aac")
      #expect(segment.bytes.starts(with: Array("ID3".utf8)) && Array(segment.bytes[73..<75]) == [0xFF, 0xF1])
      // By the secret name only, and nothing beside.
      for other in ["/v2/broadcasts/\(id)/playlist.m3u8", "\(folder)/999.aac", "\(folder)/..%2Farchives.jsonl"] {
        #expect(try await service.send(.GET, other, player).status == 404, "\(other)")
      }
      let stop = "\(OpenTokBroadcastDeliveryTests.base)/\(id)/stop"
      #expect(try await service.send(.POST, stop, OpenTokBroadcastDeliveryTests.headers).status == 200)
      try await eventually("the playlist ends") {
        try await service.send(.GET, path, player).text.hasSuffix("#EXT-X-ENDLIST\n")
      }
      await ada.leave()
    }
  }

  @Test func onlyWhatTheApplicationHasChosenIsInIt() async throws {
    try await OpenTokBroadcastDeliveryTests.withService { service async throws in
      let (session, room) = try await OpenTokRESTTests.session(service)
      let ada = try await OpenTokRESTTests.musician("Ada", in: room, of: service)
      let headers = OpenTokBroadcastDeliveryTests.headers
      let streams = try await service.send(.GET, OpenTokRESTTests.path(session, "stream"), headers)
      let stream = try #require(try streams.json["items"]?.array?.first?.object?["id"]?.string)
      let add = "{\"addStream\":\"\(stream)\"}"
      let manual = try id(try await start(service, session, ["streamMode": "manual"]))
      let base = OpenTokBroadcastDeliveryTests.base
      #expect(try await service.send(.PATCH, "\(base)/\(manual)/streams", headers, body: add).status == 204)
      #expect(try await read(service, "/\(manual)").json["streams"]?.array?.count == 1)
      let nobody = "{\"addStream\":\"00000000-0000-8000-8000-000000000000\"}"
      #expect(try await service.send(.PATCH, "\(base)/\(manual)/streams", headers, body: nobody).status == 404)
      let remove = "{\"removeStream\":\"\(stream)\"}"
      #expect(try await service.send(.PATCH, "\(base)/\(manual)/streams", headers, body: remove).status == 204)
      let automatic = try id(try await start(service, session, ["multiBroadcastTag": "second"]))
      #expect(try await service.send(.PATCH, "\(base)/\(automatic)/streams", headers, body: add).status == 405)
      let layout = "{\"type\":\"bestFit\"}"
      #expect(try await service.send(.PUT, "\(base)/\(automatic)/layout", headers, body: layout).status == 200)
      await ada.leave()
    }
  }

  @Test func whatCannotBeBegunIsRefusedWithTheStatusThatSDKsKnow() async throws {
    try await OpenTokBroadcastDeliveryTests.withService(allowsPrivate: false) { service async throws in
      let (session, room) = try await OpenTokRESTTests.session(service)
      #expect(try await start(service, session).status == 404)
      let unknown = try await start(service, "1_MX5-")
      #expect(unknown.status == 404 && unknown.text.contains("Session not found"))
      let ada = try await OpenTokRESTTests.musician("Ada", in: room, of: service)
      let relayed = try await OpenTokRESTTests.session(service, "p2p.preference=enabled").id
      #expect(try await start(service, relayed).status == 409)
      #expect(try await start(service, session, ["maxDuration": 1]).status == 400)
      // A network of the service's own is not for applications.
      for url in ["rtmp://127.0.0.1/x", "rtmp://[::1]:1935/x", "rtmps://10.0.0.1/x", "rtmp://a b/x", "rtmp://host"] {
        let target: JSONValue = ["serverUrl": .string(url), "streamName": "secret-key"]
        let refused = try await start(service, session, ["outputs": ["rtmp": [target]]])
        #expect(refused.status == 400 && !refused.text.contains("secret-key"), "\(url) \(refused.text)")
      }
      let id = try id(try await start(service, session))
      #expect(try await start(service, session).status == 409)
      // Another project's server neither sees nor stops it.
      let other = [
        OpenTokRESTTests.proof(key: "46000002", secret: OpenTokRESTTests.otherSecret), OpenTokRESTTests.json,
      ]
      let path = "/v2/project/46000002/broadcast/\(id)"
      #expect(try await service.send(.GET, path, other).status == 404)
      #expect(try await service.send(.POST, "\(path)/stop", other).status == 404)
      #expect(try await read(service, "/\(id)").json["status"] == "started")
      await ada.leave()
    }
  }

  @Test func addressesOfRTMPServersAreReadStrictly() throws {
    let plain = try #require(RTMPAddress("rtmp://Live.example/app/x?k=1"))
    #expect(plain.url.host == "live.example" && plain.url.port == 1_935 && plain.app == "app/x?k=1")
    let secure = try #require(RTMPAddress("rtmps://[2001:db8::1]/live"))
    #expect(secure.url.host == "2001:db8::1" && secure.url.port == 443 && secure.isSecure)
    #expect(RTMPAddress("rtmp://a.example:80/x")?.url.port == 80)
    for text in [
      "rtmp://", "rtmp://a.example", "rtmp://a.example/", "rtmp://u:p@a.example/x", "rtmp://a.example:0/x",
      "rtmp:///x", "http://a.example/x", "rtmp://a.example/x#y", "rtmp://[::1/x",
    ] {
      #expect(RTMPAddress(text) == nil, "\(text)")
    }
  }
}
