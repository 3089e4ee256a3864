import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Server

/// OpenTok's REST interface over HTTP, as the SDKs of servers call it.
@Suite(.timeLimit(.minutes(5))) struct OpenTokRESTTests {
  static let secret = "0123456789abcdef0123456789abcdef01234567"
  static let otherSecret = "abcdefabcdefabcdefabcdefabcdefabcdefabcd"
  static let json = ("Accept", "application/json")

  static func withProjects(
    partnerAuth: Bool = false, _ body: (TestService) async throws -> Void
  ) async throws {
    try await TestService.with(
      { configuration throws in
        configuration.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
        configuration.doors[OpenTokConfiguration.self].projects = try OpenTokProjects(
          parsing: "46000001:\(secret):Band,46000002:\(otherSecret)", callbacks: nil)
        configuration.doors[OpenTokConfiguration.self].projects.takesPartnerAuth = partnerAuth
      }, body)
  }

  static func proof(key: String = "46000001", secret: String = secret, ahead: Int64 = 0) -> (String, String) {
    let now = MonotonicClock.wall.seconds + ahead
    let claims: JSONObject = ["iss": .string(key), "ist": "project", "iat": .integer(now), "exp": .integer(now + 180)]
    return ("X-OPENTOK-AUTH", JSONWebToken.sign(claims, key: Array(secret.utf8)))
  }

  /// A session's id and its room.
  static func session(_ service: TestService, _ form: String = "") async throws -> (id: String, room: RoomName) {
    let answer = try await service.send(
      .POST, "/session/create", [proof(), json, ("Content-Type", "application/x-www-form-urlencoded")], body: form)
    let value = try JSONValue(parsing: answer.bytes)
    let object = try #require(value.array?.first?.object, "\(answer.text)")
    let room = try RoomName(checking: try #require(object["room"]?.string))
    return (try #require(object["session_id"]?.string), room)
  }

  static func path(_ session: String, _ tail: String) -> String { "/v2/project/46000001/session/\(session)/\(tail)" }

  /// A musician who has sent a packet.
  static func musician(_ name: String, in room: RoomName, of service: TestService) async throws -> Membership {
    let membership = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: name)))
    let feed = try await membership.openFeed(origin: "test", isStereo: false)
    let encoder = try OpusEncoder(.init(channels: 1, bitrate: 64_000, complexity: 1))
    let packet = try encoder.encode([Float](repeating: 0.1, count: 960))
    try await feed.send([.init(opus: packet, timestamp: 0, arrival: MonotonicClock.now)])
    return membership
  }

  private static func items(_ service: TestService, _ session: String, _ tail: String) async throws -> [JSONObject] {
    let answer = try await service.send(.GET, path(session, tail), [proof(), json])
    let items = try answer.json["items"]?.array?.compactMap(\.object)
    return try #require(items, "\(answer.status) \(answer.text)")
  }

  @Test func theContentTypeHasNoParameterAndWithoutJSONThereIsXML() async throws {
    try await OpenTokRESTTests.withProjects { service async throws in
      let python = try await service.send(.POST, "/session/create", [OpenTokRESTTests.proof(), OpenTokRESTTests.json])
      #expect(python.status == 200 && python["content-type"] == "application/json")
      let ruby = try await service.send(
        .POST, "/session/create", [OpenTokRESTTests.proof(), ("Accept", "*/*")], body: "p2p.preference=disabled")
      #expect(ruby["content-type"] == "text/xml" && ruby.text.contains("<sessions><Session><session_id>1_"))
    }
  }

  @Test func whatIsWrongWithTheProofIsSaid() async throws {
    try await OpenTokRESTTests.withProjects { service async throws in
      let session = try await OpenTokRESTTests.session(service)
      let table: [((String, String)?, String)] = [
        (nil, "X-OPENTOK-AUTH"), (("X-OPENTOK-AUTH", "nonsense"), "JSON Web Token"),
        (OpenTokRESTTests.proof(secret: OpenTokRESTTests.otherSecret), "Invalid signature"),
        (OpenTokRESTTests.proof(key: "46000003"), "Issuer not found"),
        (OpenTokRESTTests.proof(ahead: 7_200), "in the future"), (OpenTokRESTTests.proof(ahead: -7_200), "expired"),
        (OpenTokRESTTests.proof(key: "46000002", secret: OpenTokRESTTests.otherSecret), "of project 46000002"),
        (("X-TB-PARTNER-AUTH", "46000001:\(OpenTokRESTTests.secret)"), "not taken here"),
      ]
      for (header, word) in table {
        let answer = try await service.send(
          .GET, OpenTokRESTTests.path(session.id, "stream"), [OpenTokRESTTests.json] + (header.map { [$0] } ?? []))
        let message = try answer.json["message"]?.string ?? ""
        #expect(answer.status == 403 && message.contains(word), "\(word): \(answer.status) \(answer.text)")
        #expect(try answer.json["code"] == -1)
      }
      let xml = try await service.send(.POST, "/session/create", [("X-Opentok-Auth", "nonsense")])
      #expect(xml.status == 403 && xml.text.hasPrefix("<errorPayload><code>-1</code><message>"))
    }
  }

  @Test func theOlderSchemeIsAnOption() async throws {
    try await OpenTokRESTTests.withProjects(partnerAuth: true) { service async throws in
      let right = ("X-TB-PARTNER-AUTH", "46000001:\(OpenTokRESTTests.secret)")
      #expect(try await service.send(.POST, "/session/create", [right]).status == 200)
      // The paths of older SDKs, also with the proof of present ones.
      let id = try await OpenTokRESTTests.session(service).id
      for header in [right, OpenTokRESTTests.proof()] {
        let headers = [header, OpenTokRESTTests.json]
        let path = "/v2/partner/46000001/session/\(id)/stream?x=1"
        let streams = try await service.send(.GET, path, headers)
        #expect(try streams.status == 200 && streams.json["count"] == 0)
        let archives = try await service.send(.GET, "/v2/partner/46000001/archive?count=1", headers)
        #expect(try archives.status == 200 && archives.json["count"] == 0)
      }
      let wrong = ("X-TB-PARTNER-AUTH", "46000001:\(OpenTokRESTTests.otherSecret)")
      #expect(try await service.send(.POST, "/session/create", [wrong]).status == 403)
    }
  }

  @Test func nobodyConnectedAndNoSuchSessionAreToldApart() async throws {
    try await OpenTokRESTTests.withProjects { service async throws in
      let known = try await OpenTokRESTTests.session(service).id
      let headers = [OpenTokRESTTests.proof(), OpenTokRESTTests.json]
      for tail in ["stream", "connection"] {
        let empty = try await service.send(.GET, OpenTokRESTTests.path(known, tail), headers)
        #expect(try empty.status == 200 && empty.json["count"] == 0)
        let unknown = try await service.send(.GET, OpenTokRESTTests.path("1_MX5-", tail), headers)
        #expect(unknown.status == 404 && unknown.text.contains("Session not found"))
      }
      for (id, word) in [(known, "Nobody is connected"), ("1_MX5-", "Session not found")] {
        let answer = try await service.send(
          .POST, OpenTokRESTTests.path(id, "signal"), headers, body: "{\"data\":\"x\"}")
        #expect(answer.status == 404 && answer.text.contains(word), "\(answer.text)")
      }
      // Another project's.
      let other = OpenTokRESTTests.proof(key: "46000002", secret: OpenTokRESTTests.otherSecret)
      let path = "/v2/project/46000002/session/\(known)/stream"
      #expect(try await service.send(.GET, path, [other, OpenTokRESTTests.json]).status == 404)
    }
  }

  @Test func membersOfOtherDialectsAreConnectionsAndStreams() async throws {
    try await OpenTokRESTTests.withProjects { service async throws in
      let (id, room) = try await OpenTokRESTTests.session(service)
      let ada = try await OpenTokRESTTests.musician("Ada", in: room, of: service)
      let listener = try await service.broker.enter(room, JoinRequest(name: DisplayName("Bob")!, role: .listener))
      let connections = try await OpenTokRESTTests.items(service, id, "connection")
      #expect(connections.count == 2 && connections.allSatisfy { $0["connectionState"] == "Connected" })
      let streams = try await OpenTokRESTTests.items(service, id, "stream")
      #expect(streams.count == 1 && streams[0]["name"] == "Ada" && streams[0]["videoType"] == "camera")
      let stream = try #require(streams.first?["id"]?.string)
      let headers = [OpenTokRESTTests.proof(), OpenTokRESTTests.json]
      let one = try await service.send(.GET, OpenTokRESTTests.path(id, "stream/\(stream)"), headers)
      #expect(try one.status == 200 && one.json["id"] == .string(stream))
      let other = try await service.send(
        .GET, OpenTokRESTTests.path(id, "stream/00000000-0000-8000-8000-000000000000"), headers)
      #expect(other.status == 408)
      #expect(try await service.send(.GET, OpenTokRESTTests.path(id, "stream/x"), headers).status == 400)
      let classes = "{\"items\":[{\"id\":\"\(stream)\",\"layoutClassList\":[\"focus\"]}]}"
      let put = try await service.send(.PUT, OpenTokRESTTests.path(id, "stream"), headers, body: classes)
      #expect(put.status == 200 && put.text.contains("[\"focus\"]"))
      await listener.leave()
      await ada.leave()
      #expect(try await OpenTokRESTTests.items(service, id, "connection").isEmpty)
    }
  }

  @Test func aSignalReachesEveryMemberOrOne() async throws {
    try await OpenTokRESTTests.withProjects { service async throws in
      let (id, room) = try await OpenTokRESTTests.session(service)
      let ada = try await service.broker.enter(room, JoinRequest(name: DisplayName("Ada")!))
      let bob = try await service.broker.enter(room, JoinRequest(name: DisplayName("Bob")!))
      let headers = [OpenTokRESTTests.proof(), OpenTokRESTTests.json]
      let body = "{\"type\":\"count\",\"data\":\"in\"}"
      #expect(try await service.send(.POST, OpenTokRESTTests.path(id, "signal"), headers, body: body).status == 204)
      let connections = try await OpenTokRESTTests.items(service, id, "connection")
      let last = try #require(connections.last?["connectionId"]?.string)
      let one = OpenTokRESTTests.path(id, "connection/\(last)/signal")
      #expect(try await service.send(.POST, one, headers, body: "{\"data\":\"you\"}").status == 204)
      func signals(_ membership: Membership, _ count: Int) async -> [[SharedValue]] {
        var found: [[SharedValue]] = []
        for await event in membership.events {
          if case .push("signal", let values) = event { found.append(values) }
          if found.count == count { break }
        }
        return found
      }
      let all: [SharedValue] = [.string("count"), .string("in"), .null]
      #expect(await signals(bob, 2) == [all, [.null, .string("you"), .null]])
      #expect(await signals(ada, 1) == [all])
      let tooLong = "{\"data\":\"\(String(repeating: "x", count: 8_193))\"}"
      let refused = try await service.send(.POST, OpenTokRESTTests.path(id, "signal"), headers, body: tooLong)
      #expect(refused.status == 413)
      await ada.leave()
      await bob.leave()
    }
  }

  @Test func everybodyIsMutedButTheExcludedAndNewcomersTooUntilItEnds() async throws {
    try await OpenTokRESTTests.withProjects { service async throws in
      let (id, room) = try await OpenTokRESTTests.session(service)
      let ada = try await OpenTokRESTTests.musician("Ada", in: room, of: service)
      let bob = try await OpenTokRESTTests.musician("Bob", in: room, of: service)
      let headers = [OpenTokRESTTests.proof(), OpenTokRESTTests.json]
      let streams = try await OpenTokRESTTests.items(service, id, "stream")
      let kept = try #require(streams.last?["id"]?.string)
      func isMuted() async -> [Bool] { await service.broker.snapshot(of: room)?.members.map(\.isMuted) ?? [] }
      let body = "{\"active\":true,\"excludedStreams\":[\"\(kept)\"]}"
      let mute = try await service.send(.POST, OpenTokRESTTests.path(id, "mute"), headers, body: body)
      #expect(try mute.status == 200 && mute.json["id"] == "46000001" && mute.json["name"] == "Band")
      #expect(await isMuted() == [true, false])
      let carl = try await OpenTokRESTTests.musician("Carl", in: room, of: service)
      #expect(await isMuted() == [true, false, true])
      // As the Ruby SDK says it.
      let end = "{\"active\":\"false\"}"
      #expect(try await service.send(.POST, OpenTokRESTTests.path(id, "mute"), headers, body: end).status == 200)
      await carl.leave()
      let dora = try await OpenTokRESTTests.musician("Dora", in: room, of: service)
      #expect(await isMuted() == [true, false, false])
      let one = try await service.send(.POST, OpenTokRESTTests.path(id, "stream/\(kept)/mute"), headers)
      #expect(one.status == 200)
      #expect(await isMuted() == [true, true, false])
      let unknown = "stream/00000000-0000-8000-8000-000000000000/mute"
      #expect(try await service.send(.POST, OpenTokRESTTests.path(id, unknown), headers).status == 404)
      for member in [ada, bob, dora] { await member.leave() }
    }
  }

  @Test func aConnectionIsEndedAndItsSeatIsFree() async throws {
    try await OpenTokRESTTests.withProjects { service async throws in
      let (id, room) = try await OpenTokRESTTests.session(service)
      let ada = try await service.broker.enter(room, JoinRequest(name: DisplayName("Ada")!))
      let connections = try await OpenTokRESTTests.items(service, id, "connection")
      let connection = try #require(connections.first?["connectionId"]?.string)
      let path = OpenTokRESTTests.path(id, "connection/\(connection)")
      let headers = [OpenTokRESTTests.proof(), OpenTokRESTTests.json]
      #expect(try await service.send(.DELETE, path, headers).status == 204)
      var reasons: [RoomEvent.ClosingReason] = []
      for await event in ada.events { if case .closed(let reason) = event { reasons.append(reason) } }
      #expect(reasons == [.kicked])
      #expect(try await service.send(.DELETE, path, headers).status == 404)
    }
  }

  @Test func aRelayedSessionIsAMesh() async throws {
    try await OpenTokRESTTests.withProjects { service async throws in
      for (form, topology) in [("p2p.preference=enabled", RoomPolicy.Topology.mesh), ("", .routed)] {
        let (_, room) = try await OpenTokRESTTests.session(service, form)
        let ada = try await service.broker.enter(room, JoinRequest(name: DisplayName("Ada")!))
        #expect(ada.snapshot.policy.topology == topology)
        await ada.leave()
      }
    }
  }

  @Test func featuresThatAreNotThereAreRefusedClearly() async throws {
    try await OpenTokRESTTests.withProjects { service async throws in
      let headers = [OpenTokRESTTests.proof(), OpenTokRESTTests.json]
      let base = "/v2/project/46000001"
      let routed = try await OpenTokRESTTests.session(service).id
      let relayed = try await OpenTokRESTTests.session(service, "p2p.preference=enabled").id
      for path in ["dial", "captions", "render"] {
        let answer = try await service.send(
          .POST, "\(base)/\(path)", headers, body: "{\"sessionId\":\"\(routed)\"}")
        #expect(answer.status == 400 && answer.text.contains("Feature not enabled"), "\(path) \(answer.text)")
      }
      let conflict = try await service.send(.POST, "\(base)/dial", headers, body: "{\"sessionId\":\"\(relayed)\"}")
      #expect(conflict.status == 409)
      let list = try await service.send(.GET, "\(base)/render?offset=0&count=5", headers)
      #expect(try list.status == 200 && list.json["count"] == 0)
      #expect(try await service.send(.GET, "\(base)/render/x", headers).status == 404)
      #expect(try await service.send(.POST, "\(base)/captions/x/stop", headers).status == 404)
      let digits = try await service.send(
        .POST, OpenTokRESTTests.path(routed, "play-dtmf"), headers, body: "{\"digits\":\"1\"}")
      #expect(digits.status == 400)
    }
  }

  @Test func malformedBodiesAreRefusedWithASentence() async throws {
    try await OpenTokRESTTests.withProjects { service async throws in
      let id = try await OpenTokRESTTests.session(service).id
      let headers = [OpenTokRESTTests.proof(), OpenTokRESTTests.json]
      for body in ["{", "[]", "{\"data\":1}", "{\"type\":\"a b\",\"data\":\"\"}"] {
        let answer = try await service.send(.POST, OpenTokRESTTests.path(id, "signal"), headers, body: body)
        #expect(try answer.status == 400 && answer.json["message"]?.string?.isEmpty == false, "\(body)")
      }
      let huge = String(repeating: " ", count: 300_000)
      #expect(try await service.send(.POST, OpenTokRESTTests.path(id, "signal"), headers, body: huge).status == 413)
    }
  }

  /// An answer about a session knows what happened before the request, and the news tell it in order.
  @Test func theNewsAreInOrderAndNothingIsMissing() async throws {
    try await OpenTokRESTTests.withProjects { service async throws in
      let (id, room) = try await OpenTokRESTTests.session(service)
      for round in 0..<20 {
        let ada = try await service.broker.enter(room, JoinRequest(name: DisplayName("Ada")!))
        #expect(try await OpenTokRESTTests.items(service, id, "connection").count == 1, "\(round)")
        await ada.leave()
        #expect(try await OpenTokRESTTests.items(service, id, "connection").isEmpty, "\(round)")
      }
    }
  }
}
