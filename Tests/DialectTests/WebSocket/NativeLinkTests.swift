import Machines
import Music
import NIOHTTP1
import Realtime
import Recording
import Rooms
import ServiceLifecycle
import Signaling
import Testing

@testable import Client
@testable import Server

@Suite(.timeLimit(.minutes(5))) struct NativeLinkTests {
  private func names() throws -> (room: RoomName, ada: DisplayName, bob: DisplayName) {
    (try RoomName(checking: "Größe & Co"), try DisplayName(checking: "Ada"), try DisplayName(checking: "Bob"))
  }

  @Test func twoMusiciansMeetAndHearOfEachOther() async throws {
    let (room, ada, bob) = try names()
    try await TestService.with(ice: [ICEServer(urls: ["stun:stun.example"])]) { service async throws in
      try await NativeConnection.with(service.endpoint, room: room) { first in
        let grant = try await first.join(JoinRequest(name: ada, part: "guitar"))
        #expect(grant.snapshot.room == room && grant.iceServers.first?.urls == ["stun:stun.example"])
        try await NativeConnection.with(service.endpoint, room: room) { second in
          let other = try await second.join(JoinRequest(name: bob))
          #expect(other.snapshot.members.map(\.participant.name) == [ada, bob])
          var events = first.events.makeAsyncIterator()
          guard case .joined(let member) = await events.next() else {
            Issue.record("no event came")
            return
          }
          #expect(member.participant.id == other.participant)
          #expect(try await second.perform(.message("one, two", to: nil)) == .done)
          var message = await events.next()
          while message?.isOfAMember == true { message = await events.next() }
          #expect(message == .message(from: other.participant, text: "one, two", isPrivate: false))
          #expect(try await second.perform(.leave) == .done)
          var last = await events.next()
          while last?.isOfAMember == true { last = await events.next() }
          guard case .left(other.participant) = last else {
            Issue.record("nobody was told that Bob left")
            return
          }
        }
        #expect(try await first.ping().roundTrip.nanoseconds > 0)
      }
    }
  }

  @Test func aTURNServerWithASecretGetsCredentialsOfEachParticipant() async throws {
    let secret = RelaySecret(Secret("a secret that coturn shares"))
    let relay = ICEConfiguration.Relay(
      address: "127.0.0.1", port: 9, access: .timeLimited(secret), url: "turn:turn.example:3478")
    let room = try RoomName(checking: "Cellar")
    try await TestService.with(relays: [relay]) { service async throws in
      for name in ["Ada", "Bob"] {
        let request = JoinRequest(name: try DisplayName(checking: name))
        let grant = try await NativeConnection.with(service.endpoint, room: room) { try await $0.join(request) }
        let server = try #require(grant.iceServers.first)
        // Some networks permit no UDP.
        #expect(server.urls == ["turn:turn.example:3478", "turn:turn.example:3478?transport=tcp"])
        let expiry = try #require(server.username.flatMap { Int64($0.prefix { $0 != ":" }) })
        let made = secret.credentials(for: "\(grant.participant)", at: expiry - RelaySecret.lifetime)
        #expect(server.username == made.username && server.credential == made.password)
      }
    }
  }

  @Test func aRefusedJoinLeavesTheLinkOpen() async throws {
    let (room, ada, bob) = try names()
    try await TestService.with { service async throws in
      try await NativeConnection.with(service.endpoint, room: room) { first in
        _ = try await first.join(JoinRequest(name: ada))
        try await NativeConnection.with(service.endpoint, room: room) { second in
          await #expect { try await second.join(JoinRequest(name: ada)) } throws: {
            ($0 as? RoomRefusal)?.code == .nameTaken
          }
          _ = try await second.join(JoinRequest(name: bob))
        }
      }
    }
  }

  @Test func aLostLinkKeepsItsSeatForWhoeverHasTheSecret() async throws {
    let (room, ada, _) = try names()
    try await TestService.with { service async throws in
      let grant = try await NativeConnection.with(service.endpoint, room: room) { link in
        try await link.join(JoinRequest(name: ada))
      }
      let again = try await NativeConnection.with(service.endpoint, room: room) { link in
        try await link.join(JoinRequest(name: ada, resumeSecret: grant.resumeSecret))
      }
      #expect(again.participant == grant.participant)
    }
  }

  @Test func aSecondLinkTakesTheSeatAndTheFirstIsClosed() async throws {
    let (room, ada, _) = try names()
    try await TestService.with { service async throws in
      try await NativeConnection.with(service.endpoint, room: room) { first in
        let grant = try await first.join(JoinRequest(name: ada))
        try await NativeConnection.with(service.endpoint, room: room) { second in
          _ = try await second.join(JoinRequest(name: ada, resumeSecret: grant.resumeSecret))
          var last: RoomEvent?
          for await event in first.events { last = event }
          #expect(last == .closed(reason: .replaced))
          #expect(first.closed?.code == NativeClosing.replaced.rawValue)
        }
      }
    }
  }

  @Test func everybodyIsToldOfTheShutdown() async throws {
    let (room, ada, _) = try names()
    try await TestService.with { service async throws in
      try await NativeConnection.with(service.endpoint, room: room) { link in
        _ = try await link.join(JoinRequest(name: ada))
        await service.group.triggerGracefulShutdown()
        var last: RoomEvent?
        for await event in link.events { last = event }
        #expect(last == .closed(reason: .shutdown))
        #expect(link.closed?.code == 1001)
      }
    }
  }

  /// Also where there is much to tell: the close must not overtake the room's last event on any link.
  @Test func everyLinkHearsTheEndOfItsRoomBeforeItsOwn() async throws {
    let rooms = 12
    try await TestService.with { service async throws in
      let (joined, joining) = AsyncStream.makeStream(of: Void.self)
      let ends = try await withThrowingTaskGroup(of: RoomEvent?.self) { group in
        for number in 0..<rooms {
          for name in ["Ada", "Bob", "Cyd"] {
            let room = try RoomName(checking: "room \(number)")
            let name = try DisplayName(checking: name)
            group.addTask {
              // A join that fails ends the waiting for it.
              defer { joining.finish() }
              return try await NativeConnection.with(service.endpoint, room: room) { link in
                _ = try await link.join(JoinRequest(name: name))
                joining.yield()
                var last: RoomEvent?
                for await event in link.events { last = event }
                return last
              }
            }
          }
        }
        var count = 0
        for await _ in joined {
          count += 1
          if count == 3 * rooms { break }
        }
        await service.group.triggerGracefulShutdown()
        var ends: [RoomEvent?] = []
        for try await end in group { ends.append(end) }
        return ends
      }
      let expected = [RoomEvent?](repeating: .closed(reason: .shutdown), count: 3 * rooms)
      #expect(ends == expected)
    }
  }

  @Test func aRoomNameThatIsNoneIsRefusedWhereAPageCanReadIt() async throws {
    try await TestService.with { service async throws in
      let join = #"{"id":1,"method":"join","params":{"name":"Ada"}}"#
      try await RawConnection.with(port: service.port) { connection in
        try await connection.send(RawConnection.upgrade("/v1/rooms/..%2Fx/signal"))
        try await connection.send(RawConnection.text(join))
        let text = await connection.until("invalid-name")
        #expect(text.contains("101 Switching Protocols") && text.contains("invalid-name"))
      }
    }
  }

  @Test func aTokenOpensTheDoorWhereThereAreKeys() async throws {
    let (room, ada, bob) = try names()
    try await TestService.with {
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    } _: { service async throws in
      let tokens = JoinTokens(secret: Secret(TestService.secret))
      let expiry = MonotonicClock.wall + .seconds(60)
      let token = tokens.make(room: room, name: ada, expiry: expiry)
      try await NativeConnection.with(service.endpoint, room: room) { link in
        await #expect { try await link.join(JoinRequest(name: ada)) } throws: {
          ($0 as? RoomRefusal)?.code == .unauthorized
        }
        await #expect { try await link.join(JoinRequest(name: bob), token: token) } throws: {
          ($0 as? RoomRefusal)?.code == .forbidden
        }
        _ = try await link.join(JoinRequest(name: ada), token: token)
      }
      let answer = try await service.send(.GET, "/v1/rooms", [("Authorization", "Bearer \(TestService.key)")])
      #expect(answer.status == 200)
      // A join token is no API key: it opens what is of its room.
      #expect(try await service.send(.GET, "/v1/rooms", [("Authorization", "Bearer \(token)")]).status == 200)
      #expect(try await service.send(.GET, "/v1/participants", [("Authorization", "Bearer \(token)")]).status == 403)
      let whip = try await service.send(
        .POST, "/whip/\(room.description.percentEncoded)", [("Content-Type", "application/sdp")], body: Offers.sending()
      )
      #expect(whip.status == 401)
    }
  }
}

extension RoomEvent {
  /// News of where a member stands, which come at any time.
  fileprivate var isOfAMember: Bool {
    switch self {
    case .changed, .state: true
    default: false
    }
  }
}
