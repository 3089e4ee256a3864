import Machines
import Music
import NIOHTTP1
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Server

/// Sockets of Remote Monster: tokens, calls, casts and conferences, over real WebSockets.
@Suite(.timeLimit(.minutes(5))) struct RemonSocketTests {
  private func frame(
    _ command: String, _ token: String, channel: JSONValue? = nil, body: String? = nil, room: String? = nil
  ) -> String {
    var frame: JSONObject = ["command": .string(command), "token": .string(token), "serviceId": "band"]
    if let channel { frame["channel"] = channel }
    if let body { frame["body"] = .string(body) }
    if let room { frame["roomId"] = .string(room) }
    return JSONValue.object(frame).text
  }

  private func description(_ type: String, _ sdp: String) -> String {
    let body: JSONValue = ["type": .string(type), "sdp": .string(sdp)]
    return body.text
  }

  private func next(_ link: RPCConnection, _ command: String) async throws -> JSONObject {
    try await link.next(command) { $0["command"]?.string == command }
  }

  /// The type and text of the next description.
  private func described(_ link: RPCConnection) async throws -> (String, String) {
    let body = try await next(link, "onSdp")["body"]?.string ?? ""
    let object = try JSONValue(parsing: body).object
    return (object?["type"]?.string ?? "", object?["sdp"]?.string ?? "")
  }

  private func withLink(
    _ service: TestService, meta: String? = nil, conference: String? = nil,
    _ body: (RPCConnection, String) async throws -> Void
  ) async throws {
    let token = try await RemonRESTTests.token(service, conference: conference, meta: meta)
    try await RPCConnection.with(service, path: "/ws") { try await body($0, token) }
  }

  private let call: JSONValue = ["id": "take5", "type": "P2P"]

  @Test func aCallOfTwoAndAThirdWhoIsRefused() async throws {
    try await RemonRESTTests.withServices { service async throws in
      try await withLink(service, meta: #"{"name":"Anna","part":"bass"}"#) { anna, first in
        try await anna.send(frame("connect", first, channel: call))
        let created = try await next(anna, "onCreate")
        #expect(created["channel"]?.object?["status"] == "WAIT")
        let waiting = try await service.send(.GET, "/rest/call/band?token=\(first)")
        #expect(waiting.text.contains("WAIT") && waiting.text.contains("take5"))
        try await withLink(service) { bob, second in
          try await bob.send(frame("connect", second, channel: call))
          let connected = try await next(bob, "onConnect")
          #expect(connected["channel"]?.object?["userMeta"]?.string?.contains("bass") == true)
          // Jamjar offers to the first, and answers the second.
          let (kind, offer) = try await described(anna)
          #expect(kind == "offer" && offer.contains("a=fmtp:111 minptime=10;useinbandfec=1\r\n"))
          try await bob.send(frame("sdp", second, body: description("offer", Offers.sending("sendrecv"))))
          let (answer, sdp) = try await described(bob)
          #expect(answer == "answer" && sdp.contains("a=rtpmap:111 opus/48000/2\r\n"))
          #expect(sdp.contains("a=fmtp:111 minptime=10;useinbandfec=1\r\n") && sdp.contains("a=sendrecv"))
          try await withLink(service) { cy, third in
            try await cy.send(frame("connect", third, channel: call))
            let refused = try await next(cy, "onError")
            #expect(refused["code"] == "2010")
            // The connection is kept, and another channel is free.
            try await cy.send(frame("connect", third, channel: ["id": "other", "type": "P2P"]))
            _ = try await next(cy, "onCreate")
          }
          try await bob.send(frame("message", second, body: "count in"))
          let message = try await next(anna, "onMessage")
          #expect(message["body"] == "count in")
          try await bob.send(frame("disconnect", second))
          await bob.untilClosed()
        }
        _ = try await next(anna, "onDisconnectChannel")
      }
    }
  }

  @Test func aLostSocketIsContinuedByTheTokenAndByNobodyElse() async throws {
    try await RemonRESTTests.withServices { service async throws in
      try await withLink(service) { anna, first in
        try await anna.send(frame("connect", first, channel: call))
        _ = try await next(anna, "onCreate")
        try await withLink(service) { bob, second in
          try await bob.send(frame("connect", second, channel: call))
          _ = try await next(bob, "onConnect")
          // Another's token in a bound socket is refused, and the socket kept.
          try await bob.send(frame("message", first, body: "I am anna"))
          let foreign = try await next(bob, "onError")
          #expect(foreign["code"] == "502")
          bob.cut()
          try await RPCConnection.with(service, path: "/ws") { again in
            try await again.send(frame("reconnect", second))
            let back = try await next(again, "onReconnect")
            #expect(back["code"] == nil, "\(back)")
            try await again.send(frame("message", second, body: "back"))
            let message = try await next(anna, "onMessage")
            #expect(message["body"] == "back")
          }
        }
      }
      for wrong in ["nonsense", ""] {
        try await RPCConnection.with(service, path: "/ws") { stranger in
          try await stranger.send(frame("reconnect", wrong))
          let refused = try await stranger.next("a refusal") { $0["code"]?.string == "502" }
          #expect(refused["command"] != nil)
        }
      }
    }
  }

  /// The loss of a link and the return are never carried out the other way round.
  @Test func aClientThatIsBackAtOnceKeepsItsSeat() async throws {
    try await RemonRESTTests.withServices { service async throws in
      try await withLink(service) { anna, first in
        try await anna.send(frame("connect", first, channel: call))
        _ = try await next(anna, "onCreate")
        try await withLink(service) { bob, second in
          try await bob.send(frame("connect", second, channel: call))
          _ = try await next(bob, "onConnect")
          bob.cut()
          for round in 1...40 {
            try await RPCConnection.with(service, path: "/ws") { again in
              try await again.send(frame("reconnect", second))
              let back = try await next(again, "onReconnect")
              #expect(back["code"] == nil, "\(back)")
              try await again.send(frame("message", second, body: "\(round)"))
              let message = try await next(anna, "onMessage")
              #expect(message["body"]?.string == "\(round)")
              if round == 40 { try await again.send(frame("disconnect", second)) } else { again.cut() }
            }
          }
        }
        let over = try await anna.next("the end") {
          ["onDisconnectChannel", "onStateChange"].contains($0["command"]?.string)
        }
        #expect(over["command"] == "onDisconnectChannel")
      }
    }
  }

  @Test func aCastIsOfferedByItsSenderAndByUsToViewers() async throws {
    try await RemonRESTTests.withServices { service async throws in
      try await withLink(service) { sender, first in
        try await sender.send(frame("create", first, channel: ["id": "radio", "type": "BROADCAST"]))
        let created = try await next(sender, "onCreate")
        #expect(created["channel"]?.object?["id"] == "radio" && created["code"] == nil)
        try await sender.send(frame("sdp", first, body: description("offer", Offers.sending())))
        let (type, _) = try await described(sender)
        #expect(type == "answer")
        let casts = try await service.send(.GET, "/rest/room/band?token=\(first)")
        #expect(casts.text.contains("radio"))
        try await withLink(service) { viewer, second in
          try await viewer.send(frame("create", second, channel: ["id": "radio", "type": "VIEVER"]))
          _ = try await next(viewer, "onCreate")
          try await viewer.send(frame("sdp", second, body: description("offer", Offers.sending("recvonly"))))
          let (type, sdp) = try await described(viewer)
          #expect(type == "offer" && sdp.contains("a=sendonly"))
          try await sender.send(frame("disconnect", first))
          _ = try await next(viewer, "onDisconnectChannel")
        }
      }
      try await withLink(service) { viewer, token in
        try await viewer.send(frame("create", token, channel: ["id": "silence", "type": "VIEWER"]))
        let refused = try await next(viewer, "onCreate")
        #expect(refused["code"] == "500")
      }
    }
  }

  @Test func aConferenceTellsItsCasts() async throws {
    try await RemonRESTTests.withServices { service async throws in
      try await withLink(service, conference: "den1") { anna, first in
        try await anna.send(frame("create", first, channel: ["type": "ROOM"], room: "den1"))
        _ = try await next(anna, "onCreate")
        try await withLink(service, meta: "bob", conference: "den1") { bob, second in
          try await bob.send(frame("create", second, channel: ["type": "ROOM"], room: "den1"))
          _ = try await next(bob, "onCreate")
          try await bob.send(frame("sdp", second, body: description("offer", Offers.sending())))
          let (type, _) = try await described(bob)
          #expect(type == "answer")
          let joined = try await next(anna, "onRoomEvent")
          let channel = joined["channel"]?.object
          #expect(joined["body"] == "join" && channel?["userMeta"] == "bob")
          let cast = channel?["id"]?.string ?? ""
          // The own one is known by its token; others do not get to see that.
          let own = try await service.send(.GET, "/rest/rooms/band/den1?token=\(second)").text
          let others = try await service.send(.GET, "/rest/rooms/band/den1?token=\(first)").text
          #expect(own.contains(second) && !others.contains(second) && others.contains(cast))
          try await withLink(service) { viewer, third in
            try await viewer.send(frame("create", third, channel: ["id": .string(cast), "type": "VIEWER"]))
            let created = try await next(viewer, "onCreate")
            #expect(created["code"] == nil, "\(created)")
          }
          try await bob.send(frame("disconnect", second))
        }
        let left = try await anna.next("leave") { $0["command"] == "onRoomEvent" && $0["body"] == "leave" }
        #expect(left["channel"]?.object?["type"] == "BROADCAST")
      }
    }
  }

  @Test func whatIsTooLongIsToldBeforeTheClose() async throws {
    try await RemonRESTTests.withServices { service async throws in
      try await withLink(service) { anna, token in
        try await anna.send(frame("connect", token, channel: call))
        _ = try await next(anna, "onCreate")
        try await anna.send(String(repeating: "x", count: 200_000))
        let refused = try await next(anna, "onError")
        #expect(refused["code"] == "500")
        // A frame beyond all limits ends the connection, with a word in its own form.
        try? await anna.send(String(repeating: "x", count: 1 << 20))
        _ = try await next(anna, "onError")
        await anna.untilClosed()
        #expect(anna.closedWith == 1009)
      }
    }
  }

  @Test func anOperatorEndsAChannel() async throws {
    try await RemonRESTTests.withServices { service async throws in
      try await withLink(service) { anna, token in
        try await anna.send(frame("connect", token, channel: call))
        _ = try await next(anna, "onCreate")
        let body: JSONValue = ["serviceId": "band", "secret": .string(TestService.key), "channelId": "take5"]
        let answer = try await service.send(
          .POST, "/lambda/channel-force-termination", [RemonRESTTests.json], body: body.text)
        let sent = try answer.json["send"]?.bool
        #expect(answer.status == 200 && sent == true, "\(answer.text)")
        _ = try await next(anna, "onDisconnectChannel")
        await anna.untilClosed()
      }
    }
  }
}
