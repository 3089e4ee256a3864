import Music
import NIOHTTP1
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Server

@Suite(.timeLimit(.minutes(5))) struct KurentoRoomTests {
  @Test func musiciansSeeEachOtherComePublishAndGo() async throws {
    try await TestService.with { service async throws in
      try await RPCConnection.with(service) { ann in
        #expect(try await ann.join("take5", as: "ann").isEmpty)
        try await RPCConnection.with(service) { bob in
          // A client that shows neither Origin nor User-Agent is the one that takes "streams" for publishing.
          #expect(try await bob.join("take5", as: "bob") == [["id": "ann"]])
          #expect(try await ann.notification("participantJoined") == ["id": "bob"])
          let answer = try await bob.result(
            "publishVideo", ["sdpOffer": .string(Offers.sending()), "doLoopback": false])
          #expect(answer["sdpAnswer"]?.string?.contains("a=recvonly") == true)
          #expect(
            try await ann.notification("participantPublished") == ["id": "bob", "streams": [["id": "webcam"]]])
          let heard = try await ann.result(
            "receiveVideoFrom", ["sender": "bob_webcam", "sdpOffer": .string(Offers.sending("recvonly"))])
          #expect(heard["sdpAnswer"]?.string?.contains("a=sendonly") == true)
          #expect(try await ann.error("receiveVideoFrom", ["sender": "cy_webcam", "sdpOffer": "v=0"]) == 102)
          #expect(
            try await bob.error(
              "receiveVideoFrom", ["sender": "ann_webcam", "sdpOffer": .string(Offers.sending("recvonly"))]) == 105)
          _ = try await bob.result("unpublishVideo")
          #expect(try await ann.notification("participantUnpublished") == ["name": "bob"])
          _ = try await bob.result(
            "sendMessage", ["message": "count in", "userMessage": "bob", "roomMessage": "take5"])
          for connection in [ann, bob] {
            #expect(
              try await connection.notification("sendMessage")
                == ["room": "take5", "user": "bob", "message": "count in"])
          }
          _ = try await bob.result("leaveRoom")
          await bob.untilClosed()
          #expect(bob.closedWith == 1000)
        }
        #expect(try await ann.notification("participantLeft") == ["name": "bob"])
      }
    }
  }

  @Test func aFourthMusicianIsRefusedAndMayTryAgain() async throws {
    try await TestService.with { service async throws in
      for name in ["ann", "bob", "cy"] {
        let request = JoinRequest(name: try DisplayName(checking: name))
        _ = try await service.broker.enter(try RoomName(checking: "full"), request)
      }
      try await RPCConnection.with(service) { dan in
        let refused = try await dan.call("joinRoom", ["user": "dan", "room": "full"])
        let error = try #require(refused["error"]?.object)
        #expect(error["code"] == 201)
        #expect(error["message"]?.string?.contains("seats") == true && error["data"] == error["message"])
        #expect(try await dan.error("joinRoom", ["user": "ann", "room": "full"]) == 104)
        #expect(try await dan.join("other", as: "dan").isEmpty)
      }
    }
  }

  @Test func whoComesBackUnderTheNameOfALostLinkTakesItsSeatOver() async throws {
    try await TestService.with { service async throws in
      try await RPCConnection.with(service) { ann in
        _ = try await ann.join("take5", as: "ann")
        try await RPCConnection.with(service) { bob in
          _ = try await bob.join("take5", as: "bob")
          _ = try await bob.result("publishVideo", ["sdpOffer": .string(Offers.sending()), "doLoopback": false])
          _ = try await ann.notification("participantPublished")
          let before = await service.broker.snapshot(of: try RoomName(checking: "take5"))
          bob.cut()
          await bob.untilClosed()
          try await RPCConnection.with(service) { again in
            // The service may not have seen the end of the old link yet; then the name is taken for a moment.
            try await eventually("the name is free") {
              try await again.error("joinRoom", ["user": "bob", "room": "take5"]) != 104
            }
            let after = await service.broker.snapshot(of: try RoomName(checking: "take5"))
            #expect(after?.members.map(\.participant) == before?.members.map(\.participant), "the same seat")
            #expect(after?.members.last?.hasPublication == true, "what flows goes on until he publishes anew")
          }
        }
      }
    }
  }

  @Test func aSessionGoesOnOnANewLinkAndHearsWhatItMissed() async throws {
    try await TestService.with { service async throws in
      try await RPCConnection.with(service) { ann in
        let session = try #require(
          try await ann.result("joinRoom", ["user": "ann", "room": "take5"])["sessionId"]?.string)
        try await RPCConnection.with(service) { bob in
          _ = try await bob.join("take5", as: "bob")
          ann.cut()
          await ann.untilClosed()
          // What is said to a link before its loss is seen is lost with it, as with any TCP connection.
          let room = try RoomName(checking: "take5")
          try await eventually("the link is seen to be lost") {
            await service.broker.snapshot(of: room)?.members.first?.isConnected == false
          }
          _ = try await bob.result("publishVideo", ["sdpOffer": .string(Offers.sending()), "doLoopback": false])
          try await RPCConnection.with(service) { again in
            let reply = try await again.result("connect", ["sessionId": .string(session)])
            #expect(reply == ["value": "reconnection successful", "sessionId": .string(session)])
            #expect(try await again.notification("participantPublished")["id"] == "bob")
            _ = try await again.result(
              "sendMessage", ["message": "back", "userMessage": "ann", "roomMessage": "take5"])
            #expect(try await bob.notification("sendMessage")["message"] == "back")
          }
        }
      }
    }
  }

  @Test func aSessionThatMovedBeforeItJoinedKeepsItsClientsAddress() async throws {
    try await TestService.with { service async throws in
      let ping = #"{"jsonrpc":"2.0","id":0,"method":"ping"}"#
      // The first connection is over before the session joins.
      let answer = try await RawConnection.with(port: service.port) { connection in
        try await connection.send(
          "POST /room HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(ping.utf8.count)\r\n\r\n\(ping)")
        return String(decoding: await connection.untilClosed(), as: UTF8.self)
      }
      let session = String(try #require(answer.firstMatch(of: /"sessionId":"([a-z0-9]+)"/)).1)
      let room = try RoomName(checking: "take5")
      try await RPCConnection.with(service) { ann in
        _ = try await ann.result("connect", ["sessionId": .string(session)])
        _ = try await ann.join("take5", as: "ann")
        let before = await service.broker.snapshot(of: room)
        ann.cut()
        await ann.untilClosed()
        try await eventually("the link is seen to be lost") {
          await service.broker.snapshot(of: room)?.members.first?.isConnected == false
        }
        try await RPCConnection.with(service) { again in
          _ = try await again.join("take5", as: "ann")
          let after = await service.broker.snapshot(of: room)
          #expect(after?.members.map(\.participant) == before?.members.map(\.participant), "the same seat")
        }
      }
    }
  }

  @Test func aSessionThatNobodyKnowsIsRefusedAndTheLinkLivesOn() async throws {
    try await TestService.with { service async throws in
      try await RPCConnection.with(service) { ann in
        #expect(try await ann.error("connect", ["sessionId": "nobody"]) == 40007)
        #expect(try await ann.result("connect")["value"] == "OK")
        #expect(try await ann.result("ping", ["interval": 3000])["value"] == "pong")
        #expect(try await ann.join("take5", as: "ann").isEmpty)
        let bye = try await ann.call("closeSession")
        #expect(bye["result"] == "bye")
        await ann.untilClosed()
      }
      let room = try RoomName(checking: "take5")
      try await eventually("ann has left") { await service.broker.snapshot(of: room) == nil }
    }
  }

  @Test func recordsByCustomRequest() async throws {
    try await TestService.with { service async throws in
      try await RPCConnection.with(service) { ann in
        _ = try await ann.join("take5", as: "ann")
        let take = try await ann.result("customRequest", ["recorder": "take.start", "song": "Take Five"])
        #expect(take["number"] == 1)
        #expect(try await ann.result("customRequest", ["recorder": "status"])["recording"] == true)
        _ = try await ann.result("customRequest", ["recorder": "cue", "text": "bridge"])
        #expect(try await ann.result("customRequest", ["recorder": "take.stop"])["take"] == take["take"])
        #expect(try await ann.error("customRequest", ["filter": "hat"]) == -32601)
      }
    }
  }

  @Test func theHandshakeIsOneThatOldLibrariesTake() async throws {
    try await TestService.with { service async throws in
      try await RawConnection.with(port: service.port) { connection in
        // SocketRocket sends an empty Sec-WebSocket-Protocol and fails where it is answered; Java-WebSocket wants the
        // reason phrase.
        try await connection.send(
          RawConnection.upgrade("/room", "Origin: http://localhost\r\nSec-WebSocket-Protocol:\r\n"))
        let head = await connection.until("\r\n\r\n")
        #expect(head.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
        #expect(!head.lowercased().contains("sec-websocket-protocol"))
      }
    }
  }

  @Test func withKeysAJoinNeedsAToken() async throws {
    try await TestService.with {
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    } _: { service async throws in
      try await RPCConnection.with(service) { ann async throws in
        #expect(try await ann.error("joinRoom", ["user": "ann", "room": "take5"]) == 204)
        let join: JSONObject = ["user": "ann", "room": "take5", "token": .string(TestService.key)]
        #expect(try await ann.result("joinRoom", join)["value"]?.array?.isEmpty == true)
      }
      try await RPCConnection.with(service, path: "/room?token=\(TestService.key)") { bob in
        _ = try await bob.join("take5", as: "bob")
      }
      #expect(try await service.send(.GET, "/getAllRooms").status == 401)
      #expect(try await service.send(.GET, "/close?room=take5").status == 401)
    }
  }
}
