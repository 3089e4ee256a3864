import Foundation
import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import Testing

@testable import Client
@testable import Server

/// Links to rooms: who makes them, what they open, and how they end.
@Suite(.timeLimit(.minutes(5))) struct InvitationsTests {
  private let key = ("Authorization", "Bearer \(TestService.key)")
  private let path = "/v1/rooms/Cellar/invitations"

  private func withKeys(
    data: DataFolder? = nil, secret: String? = TestService.secret,
    _ adjust: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
    _ body: (TestService) async throws -> Void
  ) async throws {
    try await TestService.with(
      {
        $0.keys = try Keys(joinSecret: secret, apiKeys: [TestService.key])
        adjust(&$0)
      }, data: data, body)
  }

  private func token(of invitation: JSONObject?) throws -> String {
    let link = try #require(invitation?["url"]?.string)
    return try #require(URLComponents(string: link)?.fragment.map { String($0.dropFirst("token=".count)) })
  }

  private func access(_ token: String, _ service: TestService) async throws -> JSONObject {
    try await service.send(.GET, "/v1/access", [("Authorization", "Bearer \(token)")]).json
  }

  @Test func everyNameGetsALinkWhoseTokenSaysWhoComes() async throws {
    try await withKeys { service async throws in
      let made = try await service.post(
        "/v1/rooms/Blue%20Room/invitations", ["names": ["ada", "Bob"], "role": "listener", "days": 3], [key])
      #expect(made.status == 201, "\(made.text)")
      let names = try made.items.map { $0["name"]?.string }
      #expect(names == ["ada", "Bob"])
      let first = try #require(try made.items.first)
      let link = try #require(first["url"]?.string)
      #expect(link.hasPrefix("http://127.0.0.1:\(service.port)/?room=Blue%20Room#token="))
      #expect(first["role"] == "listener" && first["room"] == "Blue Room")
      #expect(first["qr"]?.string == QRCode(link, level: .medium)?.svg())
      let expiry = try #require(first["expiresAt"]?.string.flatMap { WallTime($0) })
      let days = Double(expiry.milliseconds - MonotonicClock.wall.milliseconds) / 86_400_000
      #expect(days > 2.9 && days <= 3)
      let told = try await access(try token(of: first), service)
      let expected: JSONObject = [
        "state": "valid", "authority": "listener", "room": "Blue Room", "name": "ada",
        "expiresAt": first["expiresAt"] ?? .null,
      ]
      #expect(told == expected)
      // Without names one link, which leaves the name free.
      let free = try await service.post("/v1/rooms/Blue%20Room/invitations", [:], [key])
      let only = try #require(try free.items.first)
      #expect(try free.items.count == 1 && only["name"] == .null && only["role"] == "musician")
      #expect(try await access(try token(of: only), service)["name"] == .null)
    }
  }

  @Test func theMusicianWritesTheNameInTheirOwnWayAndKeepsTheSeat() async throws {
    try await withKeys { service async throws in
      let made = try await service.post(path, ["names": ["ada"]], [key])
      let token = try token(of: try made.items.first)
      let cellar = try RoomName(checking: "Cellar")
      func join(_ connection: NativeConnection, _ name: String) async throws -> ParticipantID {
        try await connection.join(JoinRequest(name: try DisplayName(checking: name)), token: token).participant
      }
      try await NativeConnection.with(service.endpoint, room: cellar) { ada in
        let seat = try await join(ada, "Ada")
        let names = try await service.send(.GET, "/v1/rooms/Cellar", [key]).json["members"]?.array?
          .compactMap { $0.object?["participant"]?.object?["name"]?.string }
        #expect(names == ["Ada"])
        // The same musician on another device: not a second one.
        try await NativeConnection.with(service.endpoint, room: cellar) { again in
          let same = try await join(again, "ＡＤＡ")
          #expect(same == seat)
        }
        try await NativeConnection.with(service.endpoint, room: cellar) { bob in
          await #expect(throws: RoomRefusal.self) { try await join(bob, "Bob") }
          await #expect(throws: RoomRefusal.self) { try await join(bob, "Adá") }
        }
      }
    }
  }

  @Test func nobodyInvitesToMoreRightsThanTheirOwnOrToAnotherRoom() async throws {
    try await withKeys { service async throws in
      let moderator = try await service.token("Cellar", .moderator)
      let owner = try await service.token("Cellar", .owner)
      let elsewhere = try await service.token("Attic", .owner)
      let musician = try await service.token("Cellar")
      let statuses = { (role: String, who: (String, String)) in
        try await service.post(path, ["role": .string(role)], [who]).status
      }
      #expect(try await statuses("owner", moderator) == 403)
      #expect(try await statuses("moderator", moderator) == 201)
      #expect(try await statuses("owner", owner) == 201)
      #expect(try await statuses("listener", musician) == 403)
      #expect(try await statuses("listener", elsewhere) == 403)
      // Whoever could read the link of an owner would be one.
      let listed = try await service.send(.GET, path, [moderator])
      #expect(try listed.items.count == 2 && !listed.text.contains("token") && !listed.text.contains("url"))
      let owners = try #require(try listed.items.first { $0["role"] == "owner" }?["id"]?.string)
      #expect(try await service.send(.GET, "\(path)/\(owners)", [moderator]).status == 403)
      #expect(try await service.send(.DELETE, "\(path)/\(owners)", [moderator]).status == 403)
      #expect(try await service.send(.GET, "\(path)/\(owners)", [owner]).status == 200)
      let foreign = try await service.send(.GET, "/v1/rooms/Attic/invitations/\(owners)", [key])
      #expect(foreign.status == 404)
    }
  }

  @Test func noInvitationOutlivesTheTokenByWhichItWasMade() async throws {
    try await withKeys { service async throws in
      let moderator = try await service.token("Cellar", .moderator)
      let made = try await service.post(path, ["role": "moderator", "days": 366], [moderator])
      let expiry = try #require(try made.items.first?["expiresAt"]?.string.flatMap { WallTime($0) })
      // That of the tests holds for ten minutes.
      #expect(expiry.milliseconds <= MonotonicClock.wall.milliseconds + 600_000)
    }
  }

  @Test func aWithdrawnInvitationRemovesWhoCameInAndSaysWhatItIs() async throws {
    try await withKeys { service async throws in
      let made = try #require(try await service.post(path, ["names": ["ada"]], [key]).items.first)
      let (token, id) = (try token(of: made), try #require(made["id"]?.string))
      try await NativeConnection.with(service.endpoint, room: try RoomName(checking: "Cellar")) { ada in
        _ = try await ada.join(JoinRequest(name: try DisplayName(checking: "Ada")), token: token)
        #expect(try await service.send(.DELETE, "\(path)/\(id)", [key]).status == 204)
        var last: RoomEvent?
        for await event in ada.events { last = event }
        guard case .closed = last else {
          Issue.record("\(String(describing: last))")
          return
        }
      }
      #expect(try await service.send(.DELETE, "\(path)/\(id)", [key]).status == 404)
      #expect(try await service.send(.GET, path, [key]).items.isEmpty)
      #expect(try await access(token, service) == ["state": "withdrawn"])
      #expect(try await service.send(.GET, "/v1/takes", [("Authorization", "Bearer \(token)")]).status == 401)
      let old = JoinTokens(secret: Secret(TestService.secret)).make(
        room: try RoomName(checking: "Cellar"), expiry: WallTime(milliseconds: MonotonicClock.wall.milliseconds - 1))
      #expect(try await access(old, service) == ["state": "expired"])
      // What nobody here has signed is a guess, and counts.
      #expect(try await access(old + "x", service) == ["state": "unknown"])
      #expect(try await service.send(.GET, "/v1/access").json == ["state": "none"])
    }
  }

  @Test func theLinkIsShownAgainAfterARestartAndTheDiskOpensNothing() async throws {
    let data = try DataFolder()
    var link = ""
    var id = ""
    try await withKeys(data: data) { service async throws in
      let made = try #require(try await service.post(path, ["names": ["ada"]], [key]).items.first)
      (link, id) = (made["url"]?.string ?? "", made["id"]?.string ?? "")
      #expect(try await service.post(path, ["names": ["bob"]], [key]).status == 201)
    }
    let file = data.path + "/_service/invitations.json"
    let kept = try String(contentsOfFile: file, encoding: .utf8)
    let signature = try #require(link.split(separator: ".").last)
    #expect(!kept.contains(signature) && kept.contains(id))
    let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(rights == 0o600)
    try await withKeys(data: data, { $0.publicURL = "https://band.example" }) { service async throws in
      #expect(try await service.send(.GET, path, [key]).items.count == 2)
      let again = try await service.send(.GET, "\(path)/\(id)", [key]).json["url"]?.string
      #expect(again?.split(separator: "#").last == link.split(separator: "#").last)
      #expect(again?.hasPrefix("https://band.example/?room=Cellar#token=") == true)
    }
    // Another secret ends all invitations; it must not sign them anew.
    try await withKeys(data: data, secret: TestService.secret + "!") { service async throws in
      #expect(try await service.send(.GET, path, [key]).items.isEmpty)
      #expect(try await service.send(.GET, "\(path)/\(id)", [key]).status == 404)
    }
    // And so does the revocation of the room's tokens.
    try await withKeys(data: data) { service async throws in
      #expect(try await service.post("/v1/tokens/revocations", ["room": "Cellar"], [key]).status == 201)
      #expect(try await service.send(.GET, path, [key]).items.isEmpty)
    }
  }

  @Test func withoutKeysTheLinkIsTheRoomsAddress() async throws {
    try await TestService.with { service async throws in
      let made = try await service.post(path, ["names": ["Ada L"]])
      let expected: JSONValue = .string("http://127.0.0.1:\(service.port)/?room=Cellar&name=Ada%20L")
      let only = try #require(try made.items.first)
      #expect(made.status == 201 && only["url"] == expected)
      #expect(only["id"] == .null && only["role"] == .null && only["expiresAt"] == .null)
      #expect(try await service.send(.GET, path).items.isEmpty)
      #expect(try await service.send(.GET, "/v1/access").json == ["state": "open"])
    }
  }

  @Test func withoutAJoinSecretTheProblemNamesIt() async throws {
    try await withKeys(secret: nil) { service async throws in
      let refused = try await service.post(path, [:], [key])
      #expect(try refused.status == 409 && refused.problem == "no-join-secret")
      #expect(refused.text.contains("JAMJAR_JOIN_SECRET"))
      #expect(try await service.send(.GET, path, [key]).items.isEmpty)
    }
  }

  @Test func theLinkHasTheAddressThatTheAskerUsed() async throws {
    func link(_ service: TestService, _ headers: [(String, String)]) async throws -> String {
      let made = try await service.post(path, [:], [key] + headers)
      let link = try made.items.first?["url"]?.string ?? made.text
      return String(link.prefix { $0 != "?" })
    }
    let forwarded = [("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "band.example")]
    try await withKeys { service async throws in
      let plain = "http://127.0.0.1:\(service.port)/"
      // Anybody may say that they are a proxy.
      #expect(try await link(service, forwarded) == plain)
      // A page knows how it was opened.
      let secure = "https://127.0.0.1:\(service.port)"
      #expect(try await link(service, [("Origin", secure)]) == secure + "/")
      #expect(try await link(service, [("Origin", "https://elsewhere.example")]) == plain)
    }
    try await withKeys({ $0.proxies = TrustedProxies(parsing: "127.0.0.1") ?? .none }) { service async throws in
      #expect(try await link(service, forwarded) == "https://band.example/")
    }
  }

  @Test(
    arguments: [
      ["names": ["ADA", "ａｄａ"]], ["names": ["Ada", ""]], ["names": ["Ada\n"]], ["names": "Ada"], ["names": [7]],
      ["names": .array((0...50).map { .string("n\($0)") })], ["role": "operator"], ["role": "stranger"], ["role": 7],
      ["days": 0], ["days": 367], ["days": .number(1.5)], ["hours": 3],
    ] as [JSONValue])
  func whatCannotBeIsRefusedWithItsField(_ body: JSONValue) async throws {
    try await withKeys { service async throws in
      let refused = try await service.post(path, body, [key])
      #expect(try refused.status == 400 && refused.problem == "invalid-field", "\(refused.text)")
      #expect(try refused.json["field"]?.string == body.object?.members.first?.name)
      #expect(try await service.send(.GET, path, [key]).items.isEmpty)
    }
  }

  @Test func aRoomHasRoomForSomeInvitationsOnly() async throws {
    try await withKeys { service async throws in
      let invitations = try Invitations(recordings: service.data.path, revocations: service.broker.revocations)
      let (den, now) = (try RoomName(checking: "den"), MonotonicClock.wall)
      func some(_ count: Int, expiry: WallTime) -> [Invitation] {
        (0..<count).map {
          Invitation(id: "\(expiry)-\($0)", room: den, role: .musician, createdAt: now, expiresAt: expiry, signer: "x")
        }
      }
      try await invitations.add(some(Invitation.maximumOfRoom, expiry: now))
      // Those have expired by now.
      try await invitations.add(some(Invitation.maximumOfRoom, expiry: now + .seconds(900)))
      await #expect(throws: RoomRefusal.self) { try await invitations.add(some(1, expiry: now + .seconds(901))) }
      #expect(invitations.valid(in: den, signer: "x").count == Invitation.maximumOfRoom)
    }
  }
}
