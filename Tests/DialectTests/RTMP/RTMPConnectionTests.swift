import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Server

@Suite(.timeLimit(.minutes(5))) struct RTMPConnectionTests {
  private func withService(_ body: (TestService) async throws -> Void) async throws {
    try await TestService.with({ $0.rtmp = .init(0) }, body)
  }

  @Test func callsAreAnsweredWithValuesVoidAndErrors() async throws {
    try await withService { service async throws in
      var options = RTMPClientOptions(app: "studio")
      options.wantsEvents = true
      try await RTMPTestClient.with(port: service.rtmpPort, options) { client in
        try await client.connected()
        let room = try RoomName(checking: "studio")
        _ = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "ada")))
        let values: [AMFValue] = [
          5, "grüße", true, .null, [1, "two"], ["a": 1, "b": ["c": "d"]], .bytes([1, 2, 3]),
          .date(milliseconds: 1_000_000),
        ]
        for value in values { #expect(try await client.call("echo", value) == .value(value)) }
        #expect(try await client.call("room.message", "hello") == .void)
        #expect(try await client.called("message").first?["text"] == "hello")
        #expect(try await client.call("song.get") == .value(.null))
        guard case .value(let take) = try await client.call("take.start", "Solar") else {
          Issue.record("no take was started")
          return
        }
        #expect(take["number"] == 1)
        #expect(try await client.called("takeStarted").first?["take"]?["number"] == 1)
        #expect(try await client.call("song.get") == .value("Solar"))
        guard case .value(let listed) = try await client.call("takes.list") else {
          Issue.record("no list came")
          return
        }
        #expect(listed.elements?.first?["id"] == take["take"])
        _ = try await client.call("take.stop")
        for (name, kind) in [
          ("room.nothing", RTMPCallError.Kind.methodNotFound), ("weather.today", .serviceNotFound),
          ("take.stop", .invocationException),
        ] {
          let error = await #expect(throws: RTMPCallError.self) { try await client.call(name) }
          #expect(error?.kind == kind, "\(name)")
        }
      }
    }
  }

  @Test func whatTheServiceSaysReachesEveryConnectionOfTheRoom() async throws {
    try await withService { service async throws in
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { first in
        try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { second in
          for client in [first, second] { try await client.connected() }
          let answer = try await service.send(
            .POST, "/v1/rooms/studio/push", [("Content-Type", "application/json")],
            body: #"{"name":"onChord","arguments":["Am7",3]}"#)
          #expect(answer.status < 300)
          for client in [first, second] { #expect(try await client.called("onChord") == ["Am7", 3]) }
        }
      }
    }
  }

  @Test func aSharedObjectIsTheSameForRTMPNativeAndREST() async throws {
    try await withService { service async throws in
      let room = try RoomName(checking: "studio")
      let name = try SharedObjectName(checking: "sheet")
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        client.send(.sharedObject(RTMPObjectMessage("sheet", isPersistent: true, [.use])))
        #expect(try await client.object("sheet") == [.useSuccess])
        client.send(.sharedObject(RTMPObjectMessage("sheet", isPersistent: true, [.requestChange("key", "Am")])))
        #expect(try await client.object("sheet") == [.success("key", "Am")])
        try await NativeConnection.with(service.endpoint, room: room) { native in
          _ = try await native.join(JoinRequest(name: try DisplayName(checking: "ada")))
          _ = try await native.perform(.sharedObjectUse(name, isPersistent: true))
          _ = try await native.perform(.sharedObjectChange(name, [.set("tempo", .number(120)), .remove("key")]))
          #expect(try await client.object("sheet") == [.change("tempo", 120), .remove("key")])
        }
        let patched = try await service.send(
          .PATCH, "/v1/rooms/studio/objects/sheet", [("Content-Type", "application/merge-patch+json")],
          body: #"{"slots":{"capo":2}}"#)
        #expect(patched.status == 200, "\(patched.text)")
        #expect(try await client.object("sheet") == [.change("capo", 2)])
        let refused = RTMPObjectMessage("roster", [.use, .requestChange("x", 1)])
        client.send(.sharedObject(refused))
        #expect(try await client.object("roster").first == .useSuccess)
        let denied = try await client.object("roster")
        #expect(denied.contains { if case .status = $0 { true } else { false } }, "\(denied)")
      }
    }
  }

  @Test func whoeverWritesAtOnceEveryoneEndsEqual() async throws {
    try await withService { service async throws in
      let room = try RoomName(checking: "studio")
      let name = try SharedObjectName(checking: "sheet")
      let rounds = 25
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        client.send(.sharedObject(RTMPObjectMessage("sheet", isPersistent: true, [.use])))
        _ = try await client.object("sheet")
        try await NativeConnection.with(service.endpoint, room: room) { native in
          _ = try await native.join(JoinRequest(name: try DisplayName(checking: "ada")))
          _ = try await native.perform(.sharedObjectUse(name, isPersistent: true))
          async let byNative: Void = {
            for round in 0..<rounds {
              _ = try await native.perform(
                .sharedObjectChange(name, [.set("a", .string("native \(round)")), .remove("b")]))
            }
          }()
          async let byREST: Void = {
            for round in 0..<rounds {
              _ = try await service.send(
                .PATCH, "/v1/rooms/studio/objects/sheet", [("Content-Type", "application/merge-patch+json")],
                body: #"{"slots":{"a":"rest \#(round)","b":\#(round)}}"#)
            }
          }()
          for round in 0..<rounds {
            let events: [RTMPObjectEvent] = [.requestChange("b", .number(Double(round))), .requestChange("a", "rtmp")]
            client.send(.sharedObject(RTMPObjectMessage("sheet", isPersistent: true, events)))
          }
          _ = try await (byNative, byREST)
        }
        // A last word, after which nobody says anything: its version is the last.
        client.send(.sharedObject(RTMPObjectMessage("sheet", isPersistent: true, [.requestChange("end", true)])))
        var slots: [String: AMFValue] = [:]
        while slots["end"] == nil {
          for event in try await client.object("sheet") {
            switch event {
            case .change(let key, let value), .success(let key, let value?): slots[key] = value
            case .remove(let key): slots[key] = nil
            default: break
            }
          }
        }
        let stored = try await service.send(.GET, "/v1/rooms/studio/objects/sheet").json["slots"]?.object ?? [:]
        #expect(!slots.isEmpty && stored.members.count == slots.count)
        for member in stored.members { #expect(slots[member.name] == AMFValue(member.value), "\(member.name)") }
      }
    }
  }

  @Test func withKeysATokenIsNeeded() async throws {
    try await TestService.with {
      $0.rtmp = .init(0)
      $0.keys = try Keys(joinSecret: nil, apiKeys: [TestService.key])
    } _: { service async throws in
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client async throws in
        let status = try await client.next { if case .rejected(let status) = $0 { status } else { nil } }
        #expect(status.code == RTMPStatus.Code.connectRejected)
      }
      let options = RTMPClientOptions(app: "studio", parameters: [["token": .string(TestService.key)]])
      try await RTMPTestClient.with(port: service.rtmpPort, options) { client async throws in
        try await client.connected()
      }
    }
  }

  @Test func opusIsPublishedAndPlayedAsItIs() async throws {
    try await withService { service async throws in
      var options = RTMPClientOptions(app: "studio")
      options.codecs = ["Opus"]
      options.wantsEvents = true
      try await RTMPTestClient.with(port: service.rtmpPort, options) { player in
        try await player.connected()
        try await RTMPTestClient.with(port: service.rtmpPort, options) { publisher in
          try await publisher.connected()
          publisher.send(.publish(name: "guitar"))
          let stream = try await publisher.next { output -> UInt32? in
            if case .status(let stream, let status) = output, status.code == RTMPStatus.Code.publishStart {
              stream
            } else {
              nil
            }
          }
          var joined: AMFValue?
          while joined != "guitar" {
            joined = try await player.called("joined").first?["member"]?["participant"]?["name"]
          }
          player.send(.play(name: "guitar"))
          _ = try await player.next { output -> Bool? in
            if case .status(_, let status) = output, status.code == RTMPStatus.Code.playStart { true } else { nil }
          }
          let encoder = try OpusEncoder(.init(channels: 2, bitrate: 64_000, complexity: 0))
          let packet = try encoder.encode([Float](repeating: 0.1, count: 1_920))
          for index in 0..<10 {
            publisher.send(.audio(stream: stream, timestamp: UInt32(index * 20), AudioTag(.opus, .frame(packet))))
          }
          for _ in 0..<10 {
            let heard = try await player.next { output -> [UInt8]? in
              if case .audio(_, _, let tag) = output, case .frame(let bytes) = tag.content { bytes } else { nil }
            }
            #expect(heard == packet)
          }
          publisher.send(.unpublish(stream: stream))
          _ = try await player.next { if case .streamEnd = $0 { true } else { nil } }
        }
      }
    }
  }

  @Test func anEncoderThatComesBackGoesOnAsTheSameMusician() async throws {
    try await withService { service async throws in
      let room = try RoomName(checking: "studio")
      func publish() async throws {
        try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
          try await client.connected()
          client.send(.publish(name: "guitar"))
          _ = try await client.next { output -> Bool? in
            if case .status(_, let status) = output, status.code == RTMPStatus.Code.publishStart { true } else { nil }
          }
        }
      }
      func guitar() async -> RoomSnapshot.Member? {
        await service.broker.snapshot(of: room)?.members.first { $0.role == .musician }
      }
      try await publish()
      // The connection breaks where the test's client ends; the seat is kept.
      try await eventually("the connection is seen to be broken") { await guitar()?.isConnected == false }
      let before = try #require(await guitar())
      try await publish()
      #expect(await guitar()?.participant == before.participant)
    }
  }

  @Test func whatIsNoRTMPEndsThatConnectionAlone() async throws {
    try await withService { service async throws in
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        var generator = SeededRandom(5)
        for _ in 0..<20 {
          try await RawConnection.with(port: service.rtmpPort ?? 0) { connection in
            var bytes = (0..<4_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            bytes[0] = 3
            try await connection.send(bytes)
            _ = await connection.untilClosed()
          }
        }
        #expect(try await client.call("echo", 1) == .value(1))
      }
    }
  }
}
