import Music
import NIOHTTP1
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Server

/// What a client may send at once, and how it is told that it was too much.
@Suite(.timeLimit(.minutes(5))) struct KurentoLimitTests {
  private func request(_ id: Int, _ method: String, _ params: JSONObject) -> String {
    JSONValue.object([
      "jsonrpc": "2.0", "id": .integer(Int64(id)), "method": .string(method), "params": .object(params),
    ]).text
  }

  private func answer(_ id: Int, _ connection: RPCConnection) async throws -> JSONObject {
    try await connection.next("the answer to \(id)") { $0["id"] == .integer(Int64(id)) }
  }

  @Test func threeLegsOfSixtyCandidatesAtOnceJoin() async throws {
    try await TestService.with { service async throws in
      for name in ["bob", "cy"] {
        _ = try await service.broker.enter(
          try RoomName(checking: "take5"), JoinRequest(name: try DisplayName(checking: name)))
      }
      try await RPCConnection.with(service) { ann async throws in
        _ = try await ann.join("take5", as: "ann")
        // Nothing waits for anything: candidates of two connections come before their offers.
        try await ann.send(request(1_000, "publishVideo", ["sdpOffer": .string(Offers.sending())]))
        for number in 0..<180 {
          let candidate = "candidate:\(number) 1 udp 2122194687 192.0.2.\(number) 40000 typ host"
          try await ann.send(
            request(
              2_000 + number, "onIceCandidate",
              [
                "endpointName": .string(["ann", "bob", "cy"][number % 3]), "candidate": .string(candidate),
                "sdpMid": "audio", "sdpMLineIndex": 0,
              ]))
        }
        #expect(try await answer(1_000, ann)["result"]?.object?["sdpAnswer"] != nil)
        for number in 0..<180 {
          let answer = try await answer(2_000 + number, ann)
          #expect(answer["result"] != nil, "\(JSONValue.object(answer).text)")
        }
        #expect(try await ann.result("ping")["value"] == "pong", "the link stands")
      }
    }
  }

  @Test func ofPingsAllWithinTheBurstAreAnsweredAndTheRestToo() async throws {
    try await TestService.with { service async throws in
      try await RPCConnection.with(service) { ann async throws in
        for id in 0..<120 { try await ann.send(request(id, "ping", [:])) }
        var pongs = 0
        for id in 0..<120 {
          let answer = try await answer(id, ann)
          if answer["result"]?.object?["value"] == "pong" {
            pongs += 1
          } else {
            #expect(answer["error"]?.object?["code"] == -32_000)
          }
        }
        #expect(pongs >= 100)
      }
    }
  }

  @Test func aFloodStillCostsTheLink() async throws {
    try await TestService.with {
      $0.limits.closeTimeout = 200
    } _: { service async throws in
      // Without an identifier nothing is answered, so that the close is all that comes back.
      let candidate = RawConnection.text(#"{"method":"onIceCandidate"}"#)
      let code = try await RawConnection.closingCode(
        port: service.port, path: "/room", [Array(repeating: candidate, count: 800).flatMap { $0 }])
      #expect(code == 1008)
    }
  }

  @Test(arguments: ["/room", "/kurento-tree"])
  func aStringAsLongAsTheMessageIsAnsweredUnderItsIdentifier(path: String) async throws {
    try await TestService.with { service async throws in
      try await RPCConnection.with(service, path: path) { ann async throws in
        for length in [131_073, 262_000] {
          let text = request(length, "nonsense", ["x": .string(String(repeating: "x", count: length))])
          #expect(text.utf8.count <= 262_144)
          try await ann.send(text)
          let code = try await answer(length, ann)["error"]?.object?["code"]
          #expect(code == (path == "/room" ? -32_601 : 1))
        }
      }
    }
  }

  @Test func chatOfSixtyFourKilobytesReachesTheOthers() async throws {
    try await TestService.with { service async throws in
      try await RPCConnection.with(service) { ann async throws in
        _ = try await ann.join("take5", as: "ann")
        try await RPCConnection.with(service) { bob async throws in
          _ = try await bob.join("take5", as: "bob")
          let text = "{\n\t\"chords\": \"" + String(repeating: "♯", count: 21_000) + "\"}"
          func say(_ text: String) async throws -> JSONObject {
            try await bob.call(
              "sendMessage", ["message": .string(text), "userMessage": "bob", "roomMessage": "take5"])
          }
          #expect(try await say(text)["result"] != nil)
          #expect(try await ann.notification("sendMessage")["message"]?.string == text)
          let refused = try await say(String(repeating: "x", count: 65_537))
          #expect(refused["error"]?.object?["code"] == 999)
          #expect(refused["error"]?.object?["message"]?.string?.contains("65536 bytes at most") == true)
        }
      }
    }
  }
}
