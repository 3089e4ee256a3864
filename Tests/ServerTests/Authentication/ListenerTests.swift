import Music
import NIOHTTP1
import Rooms
import Signaling
import Testing

@testable import Client
@testable import Server

/// A listener's token lets its bearer hear, read and talk, at every door.
@Suite(.timeLimit(.minutes(5))) struct ListenerTests {
  private func withKeys(_ body: (TestService, NativeConnection, RoomName) async throws -> Void) async throws {
    try await TestService.with {
      $0.rtmp = .init(0)
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    } _: { service async throws in
      let den = try RoomName(checking: "den")
      try await NativeConnection.with(service.endpoint, room: den) { ada in
        let join = JoinRequest(name: try DisplayName(checking: "Ada"))
        let grant = try await ada.join(join, token: try await TestService.token("den"))
        #expect(grant.authority == .musician)
        try await body(service, ada, den)
      }
    }
  }

  private func refusal(_ body: () async throws -> RoomReply) async -> RoomRefusal.Code? {
    do {
      _ = try await body()
      return nil
    } catch {
      return (error as? RoomRefusal)?.code
    }
  }

  @Test func overAWebSocketItChangesNothing() async throws {
    try await withKeys { service, ada, den in
      let sheet = try SharedObjectName(checking: "sheet")
      let own = try SharedObjectName(checking: "own")
      _ = try await ada.perform(.sharedObjectUse(sheet, isPersistent: true))
      _ = try await ada.perform(.startTake(song: nil))
      try await NativeConnection.with(service.endpoint, room: den) { guest in
        let join = JoinRequest(name: try DisplayName(checking: "Guest"), role: .listener)
        let grant = try await guest.join(join, token: try await TestService.token("den", .listener))
        #expect(grant.authority == .listener)
        for command: RoomCommand in [
          .startTake(song: "mine"), .stopTake, .splitTake(song: nil), .cue("here"),
          .sharedObjectChange(sheet, [.set("text", .string("mine"))]),
        ] {
          #expect(await refusal { try await guest.perform(command) } == .forbidden, "\(command)")
        }
        #expect(await refusal { try await guest.perform(.sharedObjectUse(own, isPersistent: nil)) } == .unknownObject)
        // It may read and talk.
        _ = try await guest.perform(.sharedObjectUse(sheet, isPersistent: nil))
        #expect(try await guest.perform(.message("lovely", to: nil)) == .done)
      }
      let room = try #require(await service.broker.snapshot(of: den))
      #expect(room.take?.song == nil && room.take?.number == 1)
      #expect(try await service.broker.sharedObject(sheet, in: den).object.isEmpty)
      #expect(try await !service.broker.sharedObjects(in: den).contains { $0.object.name == own })
    }
  }

  @Test func overRTMPItChangesNothing() async throws {
    try await withKeys { service, ada, den in
      let sheet = try SharedObjectName(checking: "sheet")
      _ = try await ada.perform(.sharedObjectUse(sheet, isPersistent: true))
      func options(_ role: Authority) async throws -> RTMPClientOptions {
        RTMPClientOptions(app: "den", parameters: [["token": .string(try await TestService.token("den", role))]])
      }
      try await RTMPTestClient.with(port: service.rtmpPort, try await options(.listener)) { guest in
        try await guest.connected()
        for (method, argument) in [
          ("take.start", "mine"), ("take.stop", ""), ("take.split", ""), ("take.cue", "here"), ("song.set", "mine"),
        ] {
          await #expect("\(method)") { try await guest.call(method, .string(argument)) } throws: {
            ($0 as? RTMPCallError)?.kind == .accessDenied
          }
        }
        guest.send(.sharedObject(RTMPObjectMessage("sheet", isPersistent: true, [.use])))
        #expect(try await guest.object("sheet") == [.useSuccess])
        guest.send(.sharedObject(RTMPObjectMessage("sheet", isPersistent: true, [.requestChange("text", "mine")])))
        // What comes behind the refused change is carried out, so that the change is over when it is answered.
        #expect(try await guest.call("room.message", "lovely") == .void)
      }
      #expect(await service.broker.snapshot(of: den)?.take == nil)
      #expect(try await service.broker.sharedObject(sheet, in: den).object.isEmpty)
      // An application takes no seat; what it may do comes from its token.
      try await RTMPTestClient.with(port: service.rtmpPort, try await options(.musician)) { application in
        try await application.connected()
        _ = try await application.call("take.start", "Solar")
      }
      #expect(await service.broker.snapshot(of: den)?.take?.song?.title == "Solar")
    }
  }
}
