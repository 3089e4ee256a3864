import Music
import NIOHTTP1
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Server

/// Clients that end their links themselves, and clients whose links break.
@Suite(.timeLimit(.minutes(5))) struct KurentoLeavingTests {
  private func names(_ service: TestService, _ room: String = "take5") async throws -> [String] {
    let snapshot = await service.broker.snapshot(of: try RoomName(checking: room))
    return snapshot?.members.map { $0.participant.name.description } ?? []
  }

  /// The names in the result of a join.
  private func ids(_ members: [JSONValue]) -> [String?] { members.map { $0.object?["id"]?.string } }

  @Test func threeLeaveByAPlainCloseAndAFourthJoinsAtOnce() async throws {
    try await TestService.with { service async throws in
      try await RPCConnection.with(service) { ann async throws in
        try await RPCConnection.with(service) { bob async throws in
          try await RPCConnection.with(service) { cy async throws in
            for (name, link) in [("ann", ann), ("bob", bob), ("cy", cy)] {
              _ = try await link.join("take5", as: name)
              _ = try await link.result("publishVideo", ["sdpOffer": .string(Offers.sending()), "doLoopback": false])
            }
            // As the demonstration of iOS leaves, as a page that is closed, and as one that closes without a code.
            for (link, code) in [(ann, UInt16?.some(1000)), (bob, 1001), (cy, nil)] {
              try await link.close(code)
              await link.untilClosed()
            }
          }
        }
      }
      try await RPCConnection.with(service) { dan async throws in
        // The seats of the other two are free a moment later.
        for _ in try await dan.join("take5", as: "dan") { _ = try await dan.notification("participantLeft") }
        #expect(try await names(service) == ["dan"])
      }
    }
  }

  @Test func theSameMusicianMayComeBackAtOnceAndGoesOnInTheSameSeat() async throws {
    try await TestService.with { service async throws in
      let room = try RoomName(checking: "take5")
      _ = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "bob")))
      try await RPCConnection.with(service) { ann async throws in
        _ = try await ann.join("take5", as: "ann")
        let before = await service.broker.snapshot(of: room)?.members.map(\.participant)
        // A page that is loaded again.
        try await ann.close(1001)
        await ann.untilClosed()
        try await RPCConnection.with(service) { again async throws in
          #expect(ids(try await again.join("take5", as: "ann")) == ["bob"])
          #expect(await service.broker.snapshot(of: room)?.members.map(\.participant) == before)
        }
      }
    }
  }

  /// Only what was still here can be told: what the system had taken for the connection is lost with it.
  @Test func chatThatWaitedForALostLinkIsToldAfterTheReturn() async throws {
    try await TestService.with {
      $0.limits.mailboxBytes = 64 << 20
      // However long a busy machine takes for what bob says, the link is lost by the cut and by nothing before it.
      $0.limits.pingInterval = 3_600_000
      $0.limits.streamStall = 3_600_000
    } _: { service async throws in
      let room = try RoomName(checking: "take5")
      // Kurento's chat may be long.
      let bob = try await service.broker.enter(
        room, JoinRequest(name: try DisplayName(checking: "bob"), door: .kurento))
      // More than the buffers of a connection hold.
      let count = 200
      let filling = String(repeating: "x", count: 60_000)
      try await RPCConnection.with(service) { ann async throws in
        _ = try await ann.join("take5", as: "ann")
        try await ann.stopReading()
        for number in 0..<count { _ = try await bob.perform(.message("\(number) \(filling)", to: nil)) }
        ann.cut()
        await ann.untilClosed()
        try await eventually("the link is seen to be lost") {
          await service.broker.snapshot(of: room)?.members.last?.isConnected == false
        }
      }
      try await RPCConnection.with(service) { again async throws in
        _ = try await again.join("take5", as: "ann")
        // A room keeps 256 KiB.
        var told: [String] = []
        while told.last != "\(count - 1)" {
          let text = try await again.notification("sendMessage")["message"]?.string ?? ""
          told.append(String(text.prefix { $0 != " " }))
        }
        let last: [String] = ((count - 4)..<count).map { "\($0)" }
        #expect(told == last)
      }
      await bob.leave()
    }
  }

  @Test func aGhostMakesRoomForANewcomer() async throws {
    try await TestService.with { service async throws in
      try await RPCConnection.with(service) { ann async throws in
        _ = try await ann.join("take5", as: "ann")
        try await RPCConnection.with(service) { bob async throws in
          _ = try await bob.join("take5", as: "bob")
          try await RPCConnection.with(service) { cy async throws in
            _ = try await cy.join("take5", as: "cy")
            cy.cut()
            await cy.untilClosed()
            let room = try RoomName(checking: "take5")
            try await eventually("the link is seen to be lost") {
              await service.broker.snapshot(of: room)?.members.last?.isConnected == false
            }
            try await RPCConnection.with(service) { dan async throws in
              #expect(ids(try await dan.join("take5", as: "dan")) == ["ann", "bob"])
              #expect(try await ann.notification("participantLeft") == ["name": "cy"])
            }
          }
        }
      }
    }
  }

  @Test func aNativeClientThatClosesWithoutLeavingMakesRoom() async throws {
    try await TestService.with { service async throws in
      let room = try RoomName(checking: "take5")
      for name in ["ann", "bob", "cy"] {
        try await NativeConnection.with(service.endpoint, room: room) { link in
          _ = try await link.join(JoinRequest(name: try DisplayName(checking: name)))
        }
      }
      try await RPCConnection.with(service) { dan async throws in
        try await eventually("there is a seat for a fourth") {
          try await dan.error("joinRoom", ["user": "dan", "room": "take5"]) == nil
        }
        try await eventually("the others are gone") { try await names(service) == ["dan"] }
      }
    }
  }

  @Test func aFullRoomGivesNoAdviceThatNoClientOfKurentoCanTake() async throws {
    try await TestService.with { service async throws in
      for name in ["ann", "bob", "cy"] {
        _ = try await service.broker.enter(
          try RoomName(checking: "full"), JoinRequest(name: try DisplayName(checking: name)))
      }
      try await RPCConnection.with(service) { dan async throws in
        let error = try #require(try await dan.call("joinRoom", ["user": "dan", "room": "full"])["error"]?.object)
        #expect(error["code"] == 201)
        #expect(error["message"] == "all 3 seats of full are taken; come back when a musician has left")
        let taken = try #require(try await dan.call("joinRoom", ["user": "ann", "room": "full"])["error"]?.object)
        #expect(taken["message"] == "\"ann\" is in full already; choose another name")
      }
    }
  }

  @Test func missedMessagesAreToldAfterConnect() async throws {
    try await TestService.with { service async throws in
      try await RPCConnection.with(service) { ann async throws in
        let session = try #require(
          try await ann.result("joinRoom", ["user": "ann", "room": "take5"])["sessionId"]?.string)
        try await RPCConnection.with(service) { bob async throws in
          _ = try await bob.join("take5", as: "bob")
          ann.cut()
          await ann.untilClosed()
          let room = try RoomName(checking: "take5")
          try await eventually("the link is seen to be lost") {
            await service.broker.snapshot(of: room)?.members.first?.isConnected == false
          }
          let texts = (1...3).map { "message \($0)\n{\"of\":3}" }
          for text in texts {
            _ = try await bob.result(
              "sendMessage", ["message": .string(text), "userMessage": "bob", "roomMessage": "take5"])
          }
          // Leaving takes nothing back that was said.
          _ = try await bob.result("leaveRoom")
          try await RPCConnection.with(service) { again async throws in
            _ = try await again.result("connect", ["sessionId": .string(session)])
            for text in texts {
              #expect(
                try await again.notification("sendMessage")
                  == ["room": "take5", "user": "bob", "message": .string(text)])
            }
            _ = try await again.result(
              "sendMessage", ["message": "back", "userMessage": "ann", "roomMessage": "take5"])
            #expect(try await again.notification("sendMessage")["message"] == "back", "nothing is told twice")
          }
        }
      }
    }
  }
}
