import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import Testing

@testable import Client
@testable import Server

/// Members who are removed, rooms that are closed, and tokens that no longer hold.
@Suite(.timeLimit(.minutes(5))) struct KickAndRevokeTests {
  private let sdp = ("Content-Type", "application/sdp")
  private let key = ("Authorization", "Bearer \(TestService.key)")

  private func withKeys(_ body: (TestService, RoomName) async throws -> Void) async throws {
    try await TestService.with {
      $0.rtmp = .init(0)
      $0.limits.heartbeatInterval = 300
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    } _: { service async throws in
      try await body(service, try RoomName(checking: "den"))
    }
  }

  private func token(
    _ room: RoomName, _ id: String = JoinTokens.newID(), _ role: Authority = .musician
  ) -> String {
    JoinTokens(secret: Secret(TestService.secret)).make(
      room: room, role: role, id: id, expiry: MonotonicClock.wall + .seconds(600))
  }

  private func code(_ body: () async throws -> Void) async -> RoomRefusal.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? RoomRefusal)?.code
    }
  }

  @Test func aModeratorRemovesAMemberOverRESTAndTheRoomSaysSo() async throws {
    try await withKeys { service, den async throws in
      let moderator = try await service.token("den", .moderator)
      let musician = try await service.token("den")
      try await NativeConnection.with(service.endpoint, room: den) { ada in
        let join = JoinRequest(name: try DisplayName(checking: "Ada"))
        let seat = try await ada.join(join, token: token(den))
        #expect(seat.authority == .musician)
        let path = "/v1/rooms/den/members/\(seat.participant)"
        #expect(try await service.send(.DELETE, path, [musician]).status == 403)
        #expect(try await service.send(.DELETE, path, [moderator]).status == 204)
        var last: RoomEvent?
        for await event in ada.events { last = event }
        #expect(last == .closed(reason: .kicked))
        #expect(ada.closed?.code == NativeClosing.kicked.rawValue)
        let gone = try await service.send(.DELETE, path, [moderator])
        #expect(gone.status == 404)
        #expect(try gone.problem == "unknown-participant")
        #expect(try await service.send(.DELETE, "/v1/rooms/den/members/nobody", [moderator]).status == 404)
      }
    }
  }

  @Test func aModeratorRemovesAMemberOverTheNativeLink() async throws {
    try await withKeys { service, den async throws in
      try await NativeConnection.with(service.endpoint, room: den) { ada in
        let seat = try await ada.join(JoinRequest(name: try DisplayName(checking: "Ada")), token: token(den))
        try await NativeConnection.with(service.endpoint, room: den) { guide in
          let join = JoinRequest(name: try DisplayName(checking: "Guide"), role: .listener)
          let own = try await guide.join(join, token: token(den, JoinTokens.newID(), .moderator))
          #expect(own.authority == .moderator)
          #expect(await code { _ = try await ada.perform(.kick(own.participant)) } == .forbidden)
          #expect(try await guide.perform(.kick(seat.participant)) == .done)
        }
        var last: RoomEvent?
        for await event in ada.events { last = event }
        #expect(last == .closed(reason: .kicked))
      }
    }
  }

  @Test func aModeratorMutesAMemberOverRESTAndEveryListSaysSo() async throws {
    try await withKeys { service, den async throws in
      let moderator = try await service.token("den", .moderator)
      let musician = try await service.token("den")
      try await NativeConnection.with(service.endpoint, room: den) { ada in
        let seat = try await ada.join(JoinRequest(name: try DisplayName(checking: "Ada")), token: token(den))
        let path = "/v1/rooms/den/members/\(seat.participant)/mute"
        func isMuted() async throws -> JSONValue? {
          try await service.send(.GET, "/v1/rooms/den", [moderator]).json["members"]?.array?.first?.object?["muted"]
        }
        #expect(try await isMuted() == false)
        #expect(try await service.send(.PUT, path, [musician]).status == 403)
        #expect(try await service.send(.PUT, path, [moderator]).status == 204)
        #expect(try await isMuted() == true)
        #expect(try await service.send(.DELETE, path, [musician]).status == 403)
        guard case .snapshot(let snapshot) = try await ada.perform(.snapshot) else {
          Issue.record("no snapshot")
          return
        }
        #expect(snapshot.members.map(\.isMuted) == [true])
        #expect(try await service.send(.DELETE, path, [moderator]).status == 204)
        #expect(try await isMuted() == false)
        #expect(try await service.send(.PUT, "/v1/rooms/den/members/nobody/mute", [moderator]).status == 404)
        let nobody = "/v1/rooms/empty/members/\(seat.participant)/mute"
        #expect(try await service.send(.PUT, nobody, [key]).status == 404)
      }
    }
  }

  @Test func onlyAModeratorClosesARoom() async throws {
    try await withKeys { service, den async throws in
      try await NativeConnection.with(service.endpoint, room: den) { ada in
        let mine = token(den)
        _ = try await ada.join(JoinRequest(name: try DisplayName(checking: "Ada")), token: mine)
        let musician = ("Authorization", "Bearer \(mine)")
        #expect(try await service.send(.DELETE, "/v1/rooms/den", [musician]).status == 403)
        #expect(try await service.send(.GET, "/close?room=den&token=\(mine)").status == 403)
        // From an image on a foreign page, even with a right.
        let image = ("Sec-Fetch-Site", "cross-site")
        #expect(try await service.send(.GET, "/close?room=den", [key, image]).status == 403)
        #expect(await service.broker.snapshot(of: den)?.members.count == 1)
        let moderator = try await service.token("den", .moderator)
        #expect(try await service.send(.DELETE, "/v1/rooms/den", [moderator]).status == 204)
        var last: RoomEvent?
        for await event in ada.events { last = event }
        #expect(last == .closed(reason: .roomClosed))
        #expect(try await service.send(.DELETE, "/v1/rooms/den", [moderator]).status == 409)
      }
    }
  }

  @Test func aRevokedTokenOpensNoDoorAndItsMembersAreRemoved() async throws {
    try await withKeys { service, den async throws in
      let mine = token(den, "one")
      let other = ("Authorization", "Bearer \(token(den, "two"))")
      let bearer = ("Authorization", "Bearer \(mine)")
      try await RawConnection.with(port: service.port) { connection in
        var stream = try await StreamReading(
          connection,
          "GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: Bearer \(mine)\r\n\r\n"
        )
        let head = await stream.until("\n\n")
        #expect(head.contains("200"))
        try await NativeConnection.with(service.endpoint, room: den) { ada in
          _ = try await ada.join(JoinRequest(name: try DisplayName(checking: "Ada")), token: mine)
          let opened = try await service.send(
            .POST, "/whip/den?name=Bob", [sdp, bearer], body: Offers.sending())
          let session = try #require(opened["location"])
          #expect(opened.status == 201)

          let revoked = try await service.post("/v1/tokens/revocations", ["id": "one"], [key])
          #expect(revoked.status == 201)
          #expect(try revoked.json["id"] == "one")

          var last: RoomEvent?
          for await event in ada.events { last = event }
          #expect(last == .closed(reason: .kicked))
          #expect(await service.broker.snapshot(of: den)?.members.isEmpty != false)
          // The last piece of the stream's body.
          let end = await stream.until("0\r\n\r\n")
          #expect(end.hasSuffix("0\r\n\r\n"))

          #expect(try await service.send(.GET, "/v1/takes", [bearer]).status == 401)
          #expect(try await service.send(.GET, "/v1/takes", [("Cookie", "jamjar-access=\(mine)")]).status == 401)
          #expect(try await service.send(.DELETE, session, [bearer]).status == 401)
          let offer = Offers.sending()
          #expect(try await service.send(.POST, "/whip/den?name=Bob", [sdp, bearer], body: offer).status == 401)
          #expect(try await service.send(.POST, "/whep/den/mix", [sdp, bearer], body: offer).status == 401)
          #expect(try await service.send(.GET, "/getAllRooms?token=\(mine)").status == 401)
          #expect(try await service.send(.GET, "/v1/takes", [other]).status == 200)
        }
      }
      try await NativeConnection.with(service.endpoint, room: den) { ada in
        let join = JoinRequest(name: try DisplayName(checking: "Ada"))
        #expect(await code { _ = try await ada.join(join, token: mine) } == .unauthorized)
      }
      try await RPCConnection.with(service) { ada async throws in
        let join: JSONObject = ["user": "Ada", "room": "den", "token": .string(mine)]
        let refusal = try await ada.error("joinRoom", join)
        #expect(refusal == 204)
      }
      let options = RTMPClientOptions(app: "den", parameters: [["token": .string(mine)]])
      try await RTMPTestClient.with(port: service.rtmpPort, options) { ada in
        _ = try await ada.next { if case .rejected(let status) = $0 { status } else { nil } }
      }
      let listed = try await service.send(.GET, "/v1/tokens/revocations", [key]).items
      #expect(listed.map { $0["id"] } == ["one"])
    }
  }

  @Test func anEventStreamEndsWithItsToken() async throws {
    try await withKeys { service, den async throws in
      let short = JoinTokens(secret: Secret(TestService.secret)).make(
        room: den, expiry: MonotonicClock.wall + .seconds(3))
      try await RawConnection.with(port: service.port) { connection in
        var stream = try await StreamReading(
          connection,
          "GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: Bearer \(short)\r\n\r\n"
        )
        #expect(await stream.until("\n\n").contains("200 OK"))
        // The last piece of the stream's body.
        #expect(await stream.until("0\r\n\r\n").hasSuffix("0\r\n\r\n"))
      }
    }
  }

  @Test func theTokensOfARoomAreRevokedThatWereIssuedBefore() async throws {
    try await withKeys { service, den async throws in
      let (before, elsewhere) = (token(den), token(try RoomName(checking: "attic")))
      #expect(try await service.post("/v1/tokens/revocations", ["room": "den"], [key]).status == 201)
      let after = JoinTokens(secret: Secret(TestService.secret)).make(
        room: den, issued: MonotonicClock.wall + .seconds(1), expiry: MonotonicClock.wall + .seconds(600))
      for (token, status) in [(before, 401), (elsewhere, 200), (after, 200)] {
        #expect(try await service.send(.GET, "/v1/takes", [("Authorization", "Bearer \(token)")]).status == status)
      }
    }
  }

  @Test func aRevocationNamesOneThing() async throws {
    try await withKeys { service, _ async throws in
      for body: JSONValue in [
        [:], ["id": "one", "room": "den"], ["id": ""], ["id": "a\nb"], ["room": "../x"], ["id": "a", "expiresAt": "x"],
        // One character, but 401 bytes.
        ["id": .string("a" + String(repeating: "\u{301}", count: 200))],
      ] {
        #expect(try await service.post("/v1/tokens/revocations", body, [key]).status == 400, "\(body.text)")
      }
      #expect(try await service.send(.GET, "/v1/tokens/revocations", [key]).items.isEmpty)
    }
  }
}
