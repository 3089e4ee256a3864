import Machines
import Music
import NIOHTTP1
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Server

/// Sockets of XirSys: tokens, presence, messages and connections, over real WebSockets.
@Suite(.timeLimit(.minutes(5))) struct XirSysSocketTests: XirSysApps {
  @Test func presenceComesAndGoes() async throws {
    try await XirSysRESTTests.withAccounts { service async throws in
      try await with(service, "anna") { anna in
        #expect(try await peers(anna) == ["anna"])
        try await with(service, "bob") { bob in
          #expect(try await peers(bob) == ["anna", "bob"])
          let connected = try await frame(anna, "peer_connected", from: "bob")
          #expect(connected["message"] == "bob")
          try await bob.close(1000)
          await bob.untilClosed()
        }
        _ = try await frame(anna, "peer_removed", from: "bob")
      }
    }
  }

  @Test func aTokenOpensOneSocketOnce() async throws {
    try await XirSysRESTTests.withAccounts { service async throws in
      let token = try await XirSysRESTTests.token(service, username: "anna")
      try await RPCConnection.with(service, path: "/\(token)") { anna in
        #expect(try await peers(anna) == ["anna"])
        for wrong in ["/\(token)", "/ws/nonsense", "/v2/nonsense", "/ws/v2/"] {
          try await RPCConnection.with(service, path: wrong) { stranger in
            await stranger.untilClosed()
            #expect(stranger.closedWith == 1008, "\(wrong)")
            #expect(stranger.sentences == ["Token invalid"], "\(wrong)")
          }
        }
        // Without any token it is no socket's address.
        await #expect(throws: LinkClosed.self) { try await RPCConnection.with(service, path: "/v2/") { _ in } }
        // Nobody else is disturbed.
        try await anna.send("ping")
        try await anna.send("{}")
        #expect(anna.closedWith == nil)
      }
    }
  }

  @Test func aFourthMusicianGetsNoToken() async throws {
    try await XirSysRESTTests.withAccounts { service async throws in
      try await with(service, "anna") { anna in
        _ = try await peers(anna)
        try await with(service, "bob") { bob in
          _ = try await peers(bob)
          try await with(service, "carl") { carl in
            #expect(try await peers(carl) == ["anna", "bob", "carl"])
            let body = XirSysRESTTests.pod(username: "dora")
            let answer = try await service.send(.POST, "/getToken", [XirSysRESTTests.form], body: body)
            let status = try answer.json["s"]?.integer
            #expect(status == 403, "\(answer.text)")
            #expect(answer.text.contains("room is full"))
          }
        }
      }
    }
  }

  @Test func theMessageOfOneReachesTheOtherWithBothNests() async throws {
    try await XirSysRESTTests.withAccounts { service async throws in
      try await with(service, "anna") { anna in
        _ = try await peers(anna)
        try await with(service, "bob") { bob in
          _ = try await peers(bob)
          // The sender's name is the token's, whatever the frame says.
          try await bob.send(message("chat", to: "anna", ["userid": "carl", "text": "hi"]))
          let frame = try await frame(anna, "chat", from: "bob")
          let inner = frame["message"]?.object
          #expect(inner?["eventName"] == "chat" && inner?["targetUserId"] == "anna")
          #expect(inner?["data"]?.object?["text"] == "hi")
        }
      }
    }
  }

  @Test func anOfferIsAnsweredByJamjarUnderTheOthersName() async throws {
    try await XirSysRESTTests.withAccounts { service async throws in
      try await with(service, "anna") { anna in
        _ = try await peers(anna)
        try await with(service, "bob") { bob in
          _ = try await peers(bob)
          // The newcomer gets an offer in the name of those who are there.
          let offered = try await frame(bob, "offer", from: "anna")
          let data = offered["message"]?.object?["data"]?.object
          #expect(data?["connectionId"]?.string?.isEmpty == false)
          let sdp = data?["offer"]?.object?["sdp"]?.string ?? ""
          #expect(sdp.contains("m=audio") && sdp.contains("m=video"))
          // Those who are there offer, and are answered in the newcomer's name.
          let description: JSONValue = ["type": "offer", "sdp": .string(Offers.sending("sendrecv"))]
          try await anna.send(message("offer", to: "bob", ["connectionId": "c1", "offer": description]))
          let answer = try await frame(anna, "answer", from: "bob")
          let answered = answer["message"]?.object?["data"]?.object
          #expect(answered?["connectionId"] == "c1")
          #expect(answered?["answer"]?.object?["sdp"]?.string?.contains("a=sendrecv") == true)
        }
      }
    }
  }

  @Test func whoeverLostTheSocketComesBackUnderTheName() async throws {
    try await XirSysRESTTests.withAccounts { service async throws in
      try await with(service, "bob") { bob in
        _ = try await peers(bob)
        try await with(service, "anna") { anna in
          _ = try await peers(anna)
          anna.cut()
        }
        // The seat waits; nobody is told.
        try await with(service, "anna") { anna in
          #expect(try await peers(anna) == ["bob", "anna"])
          _ = try await frame(bob, "peer_removed", from: "anna")
          _ = try await frame(bob, "peer_connected", from: "anna")
          let room = await service.broker.snapshot(of: try RoomName(checking: "default"))
          #expect(room?.members.count == 2)
        }
      }
    }
  }

  @Test func aBrowserAndAPhoneShareARoom() async throws {
    try await XirSysRESTTests.withAccounts { service async throws in
      let room = try RoomName(checking: "default")
      let token = try await TestService.token("default")
      try await with(service, "phone") { phone in
        _ = try await peers(phone)
        try await NativeConnection.with(service.endpoint, room: room) { page in
          let seating = try await page.join(
            JoinRequest(name: try DisplayName(checking: "page"), role: .musician), token: token)
          #expect(seating.snapshot.members.count == 2)
          _ = try await frame(phone, "peer_connected", from: "page")
          let description: JSONValue = ["type": "offer", "sdp": .string(Offers.sending("sendrecv"))]
          try await phone.send(message("offer", to: "page", ["connectionId": "c", "offer": description]))
          _ = try await frame(phone, "answer", from: "page")
        }
      }
    }
  }

  @Test func inAMeshAppsMeetEachOtherAndEverybodyElseAtJamjar() async throws {
    try await XirSysRESTTests.withAccounts { service async throws in
      let room = try RoomName(checking: "default")
      try await service.broker.choose(.mesh, in: room)
      let token = try await TestService.token("default")
      let description: JSONValue = ["type": "offer", "sdp": .string(Offers.sending("sendrecv"))]
      try await with(service, "anna") { anna in
        _ = try await peers(anna)
        try await with(service, "bob") { bob in
          _ = try await peers(bob)
          _ = try await frame(anna, "peer_connected", from: "bob")
          try await anna.send(message("offer", to: "bob", ["connectionId": "c1", "offer": description]))
          let offer = try await frame(bob, "offer", from: "anna")
          #expect(offer["message"]?.object?["data"]?.object?["connectionId"] == "c1")
          try await bob.close(1000)
          await bob.untilClosed()
        }
        _ = try await frame(anna, "peer_removed", from: "bob")
        try await NativeConnection.with(service.endpoint, room: room) { page in
          _ = try await page.join(JoinRequest(name: try DisplayName(checking: "page"), role: .musician), token: token)
          _ = try await frame(anna, "peer_connected", from: "page")
          try await anna.send(message("offer", to: "page", ["connectionId": "c2", "offer": description]))
          _ = try await frame(anna, "answer", from: "page")
        }
        // The band changes its mind; who is there goes on as before, and newcomers are met at Jamjar.
        try await service.broker.choose(.routed, in: room)
        try await with(service, "carl") { carl in
          _ = try await frame(carl, "offer", from: "anna")
          _ = try await frame(anna, "peer_connected", from: "carl")
          try await anna.send(message("offer", to: "carl", ["connectionId": "c3", "offer": description]))
          _ = try await frame(anna, "answer", from: "carl")
        }
      }
    }
  }

  @Test func anAppCannotDoWhatNoAppOfXirSysCan() async throws {
    try await XirSysRESTTests.withAccounts { service async throws in
      try await with(service, "anna") { anna in
        _ = try await peers(anna)
        // Frames of the other dialect, of Kurento and of Jamjar's own.
        try await anna.send(#"{"id":1,"method":"takeStart","params":{}}"#)
        try await anna.send(#"{"jsonrpc":"2.0","id":1,"method":"joinRoom","params":{"user":"x","room":"y"}}"#)
        try await anna.send("nonsense")
        try await with(service, "bob") { bob in
          _ = try await peers(bob)
          _ = try await frame(anna, "peer_connected", from: "bob")
        }
        let room = await service.broker.snapshot(of: try RoomName(checking: "default"))
        #expect(room?.take == nil)
      }
    }
  }
}
