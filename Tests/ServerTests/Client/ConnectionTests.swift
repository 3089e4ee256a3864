import Music
import Rooms
import Signaling
import Testing

@testable import Client
@testable import Server

/// One shell for every dialect: a question waits for its own answer, whatever else is said, and for no longer than the link.
@Suite(.timeLimit(.minutes(2))) struct ConnectionTests {
  private func join(_ name: String) throws -> JSONRPCCall {
    .room(.joinRoom(try RoomName(checking: "Cellar"), JoinRequest(name: try DisplayName(checking: name)), token: nil))
  }

  @Test func musiciansOfKurentoRoomAskAndHear() async throws {
    try await TestService.with { service in
      let link = TextLink(endpoint: service.endpoint, target: "/room")
      try await Connection<KurentoClient>.with(link) { ann in
        let alone = try await ann.ask(join("ann"))
        #expect(alone == .members([]))
        try await Connection<KurentoClient>.with(link) { bob in
          guard case .members(let members) = try await bob.ask(join("bob")) else {
            return _ = Issue.record("no members")
          }
          #expect(members.map(\.id) == ["ann"])
          let refusal = await #expect(throws: JSONRPCError.self) {
            try await bob.ask(.room(.receiveVideoFrom(sender: "cyd_webcam", offer: "v=0")))
          }
          #expect(refusal?.code != 0)
          let pong = try await bob.ask(.ping(interval: 60_000))
          #expect(pong == .word("pong"))
        }
        var news: [KurentoNotification] = []
        for await each in ann.events {
          news.append(each)
          if news.count == 2 { break }
        }
        #expect(news == [.participantJoined("bob"), .participantLeft("bob")])
      }
    }
  }

  @Test func aTreeIsMadeAndReleased() async throws {
    try await TestService.with { service in
      let link = TextLink(endpoint: service.endpoint, target: "/kurento-tree")
      try await Connection<KurentoTreeClient>.with(link) { client in
        let gig = try RoomName(checking: "gig")
        let made = try await client.ask(.tree(.create(gig)))
        #expect(made == .reply(.done))
        let released = try await client.ask(.tree(.release(gig)))
        #expect(released == .reply(.done))
      }
    }
  }

  @Test func anAnswerThatCannotBeReadFailsItsQuestionAlone() async throws {
    let filter: ForeignRelay.Filter = { $0.contains("\"id\":2,") ? [#"{"id":2,"result":[]}"#] : [$0] }
    try await TestService.with { service in
      try await ForeignRelay.with(service.endpoint, filter) { relay in
        let endpoint = ServiceEndpoint(host: "127.0.0.1", port: relay.port)
        try await NativeConnection.with(endpoint, room: try RoomName(checking: "Cellar")) { ada in
          _ = try await ada.join(JoinRequest(name: try DisplayName(checking: "Ada")))
          await #expect(throws: ProtocolViolation.self) { try await ada.perform(.snapshot) }
          _ = try await ada.ping()
        }
      }
    }
  }

  @Test func aLinkThatBreaksFailsWhatIsAskedAndEndsTheEvents() async throws {
    try await TestService.with { service in
      try await ForeignRelay.with(service.endpoint) { relay in
        let endpoint = ServiceEndpoint(host: "127.0.0.1", port: relay.port)
        try await NativeConnection.with(endpoint, room: try RoomName(checking: "Cellar")) { ada in
          _ = try await ada.join(JoinRequest(name: try DisplayName(checking: "Ada")))
          relay.hold()
          let answer = Task { try await ada.perform(.snapshot) }
          relay.cut()
          let closed = await #expect(throws: LinkClosed.self) { try await answer.value }
          #expect(closed?.code == 1006)
          for await _ in ada.events {}
          #expect(ada.closed == closed)
          await #expect(throws: LinkClosed.self) { try await ada.ping() }
        }
      }
    }
  }
}
