import Machines
import Music
import NIOHTTP1
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Server

/// What apps of XirSys should not send: each is told in XirSys' own words, and nobody else is disturbed.
@Suite(.timeLimit(.minutes(5))) struct XirSysBadInputTests: XirSysApps {
  private static let candidate: JSONValue = [
    "label": 0, "id": "audio", "candidate": "candidate:1 1 udp 2122260223 192.0.2.7 50000 typ host",
  ]

  private func offer(_ sdp: String, _ connection: String = "c1") -> JSONValue {
    ["connectionId": .string(connection), "offer": ["type": "offer", "sdp": .string(sdp)]]
  }

  /// Anna and Bob in a room of this topology; afterwards Bob is still there, and messages reach him.
  private func together(
    _ topology: RoomPolicy.Topology, _ body: (TestService, RPCConnection, RPCConnection) async throws -> Void
  ) async throws {
    try await XirSysRESTTests.withAccounts { service async throws in
      try await service.broker.choose(topology, in: try RoomName(checking: "default"))
      try await with(service, "bob") { bob async throws in
        #expect(try await peers(bob) == ["bob"])
        try await with(service, "anna") { anna async throws in
          #expect(try await peers(anna) == ["bob", "anna"])
          _ = try await frame(bob, "peer_connected", from: "anna")
          try await body(service, anna, bob)
        }
        try await with(service, "carl") { carl async throws in
          #expect(try await peers(carl).last == "carl")
          try await carl.send(message("chat", to: "bob", ["text": "hi"]))
          _ = try await frame(bob, "chat", from: "carl")
          #expect(bob.closedWith == nil && bob.sentences.isEmpty)
        }
      }
    }
  }

  @Test(arguments: RoomPolicy.Topology.allCases)
  func aDescriptionOfAMebibyteEndsItsSocketWithASentence(topology: RoomPolicy.Topology) async throws {
    try await together(topology) { _, anna, bob async throws in
      // Sending may break off: the service reads no further.
      try? await anna.send(message("offer", to: "bob", offer(String(repeating: "a=x\r\n", count: 1 << 18))))
      await anna.untilClosed()
      #expect(anna.closedWith == 1009)
      #expect(anna.sentences.count == 1 && anna.sentences.first?.contains("262144") == true, "\(anna.sentences)")
      _ = try await frame(bob, "peer_removed", from: "anna")
    }
  }

  @Test func aDescriptionThatARoomDoesNotTakeEndsTheConnectionOnly() async throws {
    try await together(.routed) { _, anna, bob async throws in
      for sdp in [String(repeating: "a=x\r\n", count: 20_000), "nonsense"] {
        try await anna.send(message("offer", to: "bob", offer(sdp)))
        let bye = try await frame(anna, "bye", from: "bob")
        #expect(bye["message"]?.object?["data"]?.object?["connectionId"] == "c1")
      }
      try await anna.send(message("offer", to: "bob", offer(Offers.sending("sendrecv"), "c2")))
      _ = try await frame(anna, "answer", from: "bob")
    }
  }

  /// To another app in a mesh, to Jamjar in a routed room.
  @Test(arguments: RoomPolicy.Topology.allCases)
  func aThousandCandidatesEndTheirSocketWithASentence(topology: RoomPolicy.Topology) async throws {
    try await together(topology) { _, anna, bob async throws in
      try await anna.send(message("offer", to: "bob", offer(Offers.sending("sendrecv"))))
      switch topology {
      case .mesh: _ = try await frame(bob, "offer", from: "anna")
      case .routed: _ = try await frame(anna, "answer", from: "bob")
      }
      let text = message("ice", to: "bob", ["connectionId": "c1", "iceCandidate": Self.candidate])
      for _ in 0..<1_000 { try? await anna.send(text) }
      await anna.untilClosed()
      #expect(anna.closedWith == 1008 || anna.closedWith == 1013)
      #expect(anna.sentences.count == 1, "\(anna.sentences)")
      _ = try await frame(bob, "peer_removed", from: "anna")
    }
  }

  @Test(arguments: RoomPolicy.Topology.allCases)
  func anOfferToAUserWhoHasLeftIsAGoodbye(topology: RoomPolicy.Topology) async throws {
    try await together(topology) { service, anna, bob async throws in
      try await with(service, "dora") { dora async throws in
        _ = try await frame(anna, "peer_connected", from: "dora")
        try await dora.close(1000)
        await dora.untilClosed()
      }
      _ = try await frame(anna, "peer_removed", from: "dora")
      try await anna.send(message("offer", to: "dora", offer(Offers.sending("sendrecv"), "late")))
      let bye = try await anna.next("the goodbye") {
        $0["type"] == "bye" && $0["message"]?.object?["data"]?.object?["connectionId"] == "late"
      }
      #expect(bye["userid"] == "dora")
      // Those who are there are reached as before.
      try await anna.send(message("chat", to: "bob", ["text": "hi"]))
      _ = try await frame(bob, "chat", from: "anna")
    }
  }

  /// Frames of dialect B on a socket of A, of Kurento, of Jamjar's own, and no frames at all.
  @Test(arguments: RoomPolicy.Topology.allCases)
  func framesOfOtherDialectsChangeNothing(topology: RoomPolicy.Topology) async throws {
    try await together(topology) { service, anna, bob async throws in
      for text in [
        #"{"t":"u","m":{"f":"x/anna","o":"join","t":"x/bob"},"p":{}}"#, #"{"t":"u","m":7,"p":[]}"#,
        #"{"id":1,"method":"meshRelay","params":{"to":"bob","offer":"v=0"}}"#, #"{"command":"connect","token":"x"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"leaveRoom","params":{}}"#, #"{"eventName":"offer","targetUserId":"bob"}"#,
        #"{"eventName":"ice","targetUserId":"bob","data":{"iceCandidate":[]}}"#, "nonsense", "[[[", "\u{0}",
      ] { try await anna.send(text) }
      try await anna.send(message("chat", to: "bob", ["text": "hi"]))
      _ = try await frame(bob, "chat", from: "anna")
      let room = await service.broker.snapshot(of: try RoomName(checking: "default"))
      #expect(room?.members.count == 2 && room?.take == nil)
      #expect(anna.sentences.isEmpty && anna.closedWith == nil)
    }
  }

  @Test func roomsAndNamesThatCannotBeGetNoToken() async throws {
    try await XirSysRESTTests.withAccounts { service async throws in
      for (room, name) in [(".hidden", "anna"), (String(repeating: "x", count: 65), "anna"), ("default", "a/b")] {
        let body = XirSysRESTTests.pod(room: room, username: name)
        let answer = try await service.send(.POST, "/getToken", [XirSysRESTTests.form], body: body)
        let envelope = try answer.json
        #expect(answer.status == 200 && envelope["s"] == 400, "\(answer.text)")
        #expect(envelope["e"]?.string?.isEmpty == false && envelope["d"]?.object?["token"] == nil)
      }
      // An account of one room leads there, whatever room is named (`anAccountOfOneRoomLeadsThere`).
      let basic = ("Authorization", "Basic " + Base64.standard.encode(Array("band:a-secret-of-ours".utf8)))
      let answer = try await service.send(.PUT, "/_token/x/y/.hidden?k=anna&expire=30", [basic])
      let word = try answer.json
      #expect(word == ["s": "error", "v": "bad_name"], "\(answer.text)")
    }
  }

  /// Tokens from a time when there was room: the socket says what REST says.
  @Test func aFourthSocketIsToldThatTheRoomIsFull() async throws {
    try await XirSysRESTTests.withAccounts { service async throws in
      let late = try await XirSysRESTTests.token(service, username: "dora")
      try await with(service, "bob") { bob async throws in
        _ = try await peers(bob)
        try await with(service, "carl") { carl async throws in
          _ = try await peers(carl)
          try await with(service, "anna") { anna async throws in
            _ = try await peers(anna)
            try await RPCConnection.with(service, path: "/\(late)") { dora async throws in
              await dora.untilClosed()
              #expect(dora.closedWith == 1008)
              #expect(dora.sentences.count == 1 && dora.sentences.first?.contains("seats") == true, "\(dora.sentences)")
            }
            try await anna.send(message("chat", to: "bob", ["text": "hi"]))
            _ = try await frame(bob, "chat", from: "anna")
            #expect(bob.leftOver.allSatisfy { $0["userid"] != "dora" })
          }
        }
      }
    }
  }
}
