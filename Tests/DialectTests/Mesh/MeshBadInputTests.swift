import Machines
import Music
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Server

/// What clients in a mesh room should not send, over real WebSockets: each is told why, and nobody else is disturbed.
@Suite(.timeLimit(.minutes(5))) struct MeshBadInputTests {
  private static let path = "/v1/rooms/den/signal"
  private static let offer = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\n"

  private func word(_ link: RPCConnection, _ method: String, _ params: JSONObject) async throws -> String? {
    try await link.call(method, params)["error"]?.object?["code"]?.string
  }

  /// Joins; says as whom.
  private func join(_ link: RPCConnection, as name: String) async throws -> JSONValue {
    let token = try await TestService.token("den")
    let grant = try await link.result("join", ["name": .string(name), "token": .string(token)])
    return try #require(grant["participant"])
  }

  private func with(_ name: String, _ value: JSONValue, _ object: JSONObject) -> JSONObject {
    var object = object
    object[name] = value
    return object
  }

  private func relayed(_ link: RPCConnection) async throws -> JSONObject {
    try await link.next("a relayed message") { $0["event"] == "relayed" }
  }

  /// Ada, who has offered to Bob, in a mesh; afterwards Bob is still reached by a newcomer.
  private func pair(
    _ body: (TestService, RPCConnection, RPCConnection, _ relay: @escaping (JSONObject) -> JSONObject) async throws
      -> Void
  ) async throws {
    try await TestService.with {
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    } _: { service async throws in
      try await service.broker.choose(.mesh, in: try RoomName(checking: "den"))
      try await RPCConnection.with(service, path: MeshBadInputTests.path) { bob async throws in
        try await RPCConnection.with(service, path: MeshBadInputTests.path) { ada async throws in
          _ = try await join(ada, as: "Ada")
          let id = try await join(bob, as: "Bob")
          for link in [ada, bob] { _ = try await link.result("meshEnter") }
          func relay(_ message: JSONObject) -> JSONObject { with("to", id, message) }
          _ = try await ada.result("meshRelay", relay(["offer": .string(MeshBadInputTests.offer)]))
          #expect(try await relayed(bob)["offer"]?.string == MeshBadInputTests.offer)
          try await body(service, ada, bob, relay)
        }
        // Those who are here now offer to the newcomer.
        try await RPCConnection.with(service, path: MeshBadInputTests.path) { cat async throws in
          let id = try await join(cat, as: "Cat")
          _ = try await cat.result("meshEnter")
          _ = try await bob.result("meshRelay", ["to": id, "offer": .string(MeshBadInputTests.offer)])
          #expect(try await relayed(cat)["offer"]?.string == MeshBadInputTests.offer)
        }
        #expect(bob.closedWith == nil)
      }
    }
  }

  @Test func aDescriptionOfAMebibyteEndsItsLinkOnly() async throws {
    try await pair { _, ada, bob, relay async throws in
      // More than a description may have, and less than a message.
      for name in ["offer", "answer"] {
        let long: JSONObject = relay([name: .string(String(repeating: "x", count: 100_000))])
        #expect(try await word(ada, "meshRelay", long) == "too-large")
      }
      let mebibyte = relay(["offer": .string(String(repeating: "x", count: 1 << 20))])
      let longest: JSONValue = ["id": 99, "method": "meshRelay", "params": .object(mebibyte)]
      // Sending may break off: the service reads no further.
      try? await ada.send(longest.text)
      await ada.untilClosed()
      #expect(ada.closedWith == 1009)
      #expect(bob.leftOver.allSatisfy { $0["event"] != "relayed" })
    }
  }

  @Test func ofAThousandCandidatesTheOtherGetsSixtyFour() async throws {
    try await pair { _, ada, bob, relay async throws in
      let candidate: JSONValue = ["candidate": "candidate:1 1 udp 2122260223 192.0.2.7 50000 typ host", "sdpMid": "0"]
      let params = relay(["candidate": candidate])
      for _ in 0..<Mesh.maximumCandidates { _ = try await ada.result("meshRelay", params) }
      #expect(try await word(ada, "meshRelay", params) == "too-many")
      for id in 1_000..<2_000 {
        let request: JSONValue = ["id": .integer(Int64(id)), "method": "meshRelay", "params": .object(params)]
        try? await ada.send(request.text)
      }
      await ada.untilClosed()
      #expect(ada.closedWith == 1008 || ada.closedWith == 1013)
      _ = try await bob.next("the end of the link") {
        $0["event"] == "changed" && $0["member"]?.object?["connected"] == false
      }
      #expect(bob.leftOver.count { $0["event"] == "relayed" } == Mesh.maximumCandidates)
    }
  }

  @Test func messagesToAMemberWhoHasLeftAreRefusedWithAWord() async throws {
    try await pair { service, ada, bob, relay async throws in
      var gone: JSONValue = .null
      try await RPCConnection.with(service, path: MeshBadInputTests.path) { cat async throws in
        gone = try await join(cat, as: "Cat")
        _ = try await cat.result("meshEnter")
        _ = try await cat.result("leave")
      }
      _ = try await ada.next("Cat's leaving") { $0["event"] == "left" }
      for message: JSONObject in [["offer": "v=0"], ["answer": "v=0"], ["candidate": .null], ["bye": true]] {
        let late = with("to", gone, message)
        #expect(try await word(ada, "meshRelay", late) == "unknown-participant")
      }
      #expect(try await word(ada, "meshReport", ["about": gone, "state": "failed"]) == "unknown-participant")
      // Nor is there anybody of another room, or nobody's identifier.
      #expect(try await word(ada, "meshRelay", ["to": "nobody", "offer": "v=0"]) == "unknown-participant")
      _ = try await ada.result("meshRelay", relay(["candidate": .null]))
      #expect(try await relayed(bob)["candidate"] == .null)
    }
  }

  @Test func aFourthMusicianIsToldThatTheRoomIsFull() async throws {
    try await pair { service, ada, bob, _ async throws in
      try await RPCConnection.with(service, path: MeshBadInputTests.path) { cat async throws in
        _ = try await join(cat, as: "Cat")
        try await RPCConnection.with(service, path: MeshBadInputTests.path) { dan async throws in
          let params: JSONObject = ["name": "Dan", "token": .string(try await TestService.token("den"))]
          #expect(try await word(dan, "join", params) == "room-full")
          #expect(try await word(dan, "meshEnter", [:]) == "not-joined")
          // Listeners come in, and are in nobody's mesh.
          _ = try await dan.result("join", with("role", "listener", params))
          #expect(try await word(dan, "meshEnter", [:]) == "forbidden")
        }
        _ = try await cat.result("leave")
      }
      #expect(ada.closedWith == nil && bob.closedWith == nil)
    }
  }

  @Test func withoutTheRightTokenThereIsNoMesh() async throws {
    try await pair { service, _, _, relay async throws in
      try await RPCConnection.with(service, path: MeshBadInputTests.path) { stranger async throws in
        #expect(try await word(stranger, "meshRelay", relay(["offer": "v=0"])) == "not-joined")
        #expect(try await word(stranger, "join", ["name": "Eve"]) == "unauthorized")
        #expect(try await word(stranger, "join", ["name": "Eve", "token": "wrong"]) == "unauthorized")
        let elsewhere = try await TestService.token("attic")
        #expect(try await word(stranger, "join", ["name": "Eve", "token": .string(elsewhere)]) == "forbidden")
        #expect(try await word(stranger, "meshRelay", relay(["offer": "v=0"])) == "not-joined")
      }
      for room in ["..%2Fx", ".hidden"] {
        try await RPCConnection.with(service, path: "/v1/rooms/\(room)/signal") { stranger async throws in
          #expect(try await word(stranger, "join", ["name": "Eve"]) == "invalid-name")
        }
      }
    }
  }

  @Test func framesOfOtherDialectsAreRefusedWithAWord() async throws {
    try await pair { _, ada, bob, relay async throws in
      for text in [
        #"{"eventName":"offer","targetUserId":"Bob","data":{"connectionId":"c","offer":{"sdp":"v=0"}}}"#,
        #"{"t":"u","m":{"f":"x/y/den/Ada","o":"message","t":"Bob"},"p":{"msg":{"type":"offer","sdp":"v=0"}}}"#,
        #"{"command":"connect","token":"x","serviceId":"band"}"#, #"{"jsonrpc":"2.0","method":"joinRoom"}"#, "nonsense",
      ] {
        try await ada.send(text)
        let refused = try await ada.next("the refusal") { $0["error"] != nil }
        #expect(refused["error"]?.object?["code"] == "malformed", "\(text)")
      }
      #expect(try await word(ada, "joinRoom", ["user": "Ada", "room": "den"]) == "unknown-method")
      _ = try await ada.result("meshRelay", relay(["candidate": .null]))
      #expect(try await relayed(bob)["candidate"] == .null)
    }
  }
}
