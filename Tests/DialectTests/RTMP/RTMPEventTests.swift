import Machines
import Music
import NIOHTTP1
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Server

/// What reaches RTMP clients of a room, and what the log says about them.
@Suite(.timeLimit(.minutes(5))) struct RTMPEventTests {
  private func withService(_ body: (TestService) async throws -> Void) async throws {
    try await TestService.with({ $0.rtmp = .init(0) }, body)
  }

  @Test func eventsOfTheRoomAreForThoseWhoAsk() async throws {
    try await withService { service async throws in
      let room = try RoomName(checking: "studio")
      func enter(_ name: String) async throws -> Membership {
        try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: name)))
      }
      func push() async throws {
        let answer = try await service.post("/v1/rooms/studio/push", ["name": "onChord"])
        #expect(answer.status == 204)
      }
      func call(_ client: RTMPTestClient) async throws -> String {
        try await client.next { if case .called(let name, _) = $0 { name } else { nil } }
      }
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        let ada = try await enter("ada")
        _ = try await ada.perform(.message("hello", to: nil))
        await ada.leave()
        // The operator's call comes after all that, and is the first.
        try await push()
        #expect(try await call(client) == "onChord")
        #expect(try await client.call("room.subscribe") == .void)
        let bob = try await enter("bob")
        #expect(try await call(client) == "joined")
        #expect(try await client.call("room.unsubscribe") == .void)
        await bob.leave()
        try await push()
        while try await call(client) != "onChord" { Issue.record("an event came after room.unsubscribe") }
      }
      // Asked for at the connect: after the command object, as the iOS library can, or in the address.
      for options in [
        RTMPClientOptions(app: "studio", parameters: [["jamjarEvents": true]]),
        RTMPClientOptions(app: "studio?jamjarEvents=1"),
      ] {
        try await RTMPTestClient.with(port: service.rtmpPort, options) { client in
          try await client.connected()
          let cy = try await enter("cy")
          #expect(try await call(client) == "joined")
          await cy.leave()
          #expect(try await client.called("left").first?["participant"]?.string == cy.participant.description)
        }
      }
    }
  }

  @Test func aRemovedClientThatDidNotAskForEventsIsOnlyDisconnected() async throws {
    try await withService { service async throws in
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        let room = try RoomName(checking: "studio")
        let member = try #require(await service.broker.snapshot(of: room)?.members.first)
        let path = "/v1/rooms/studio/members/\(member.participant.id)"
        #expect(try await service.send(.DELETE, path).status < 300)
        let last = try await client.next { output -> RTMPClient.Output? in
          switch output {
          case .called, .status: output
          default: nil
          }
        }
        guard case .status(_, let status) = last else {
          Issue.record("\(last)")
          return
        }
        #expect(status.code == RTMPStatus.Code.connectClosed && status.description.contains("kicked"))
      }
    }
  }

  @Test func anEncoderKeepsItsSeatWhateverHappensInTheRoom() async throws {
    try await withService { service async throws in
      var options = RTMPClientOptions(app: "studio")
      options.flashVersion = "FMLE/3.0"
      try await RTMPTestClient.with(port: service.rtmpPort, options) { client in
        try await client.connected()
        client.send(.publish(name: "desk"))
        func status() async throws -> RTMPStatus {
          try await client.next { if case .status(_, let status) = $0 { status } else { nil } }
        }
        #expect(try await status().code == RTMPStatus.Code.publishStart)
        let room = try RoomName(checking: "studio")
        // More events than a mailbox holds.
        for index in 0..<200 {
          let guest = try DisplayName(checking: "guest-\(index)")
          try await service.broker.enter(room, JoinRequest(name: guest, role: .listener)).leave()
        }
        let desk = try #require(await service.broker.snapshot(of: room)?.members.first)
        #expect(desk.isConnected)
        #expect(try await service.send(.DELETE, "/v1/rooms/studio/members/\(desk.participant.id)").status < 300)
        let end = try await status()
        #expect(end.code == RTMPStatus.Code.publishBadName && end.description.contains("kicked"))
      }
    }
  }

  @Test func twoPathsAreNeverOneRoom() async throws {
    try await withService { service async throws in
      for (app, name) in [("band/studio", "band~studio"), ("band-studio", "band-studio"), ("a/b/c", "a~b~c")] {
        try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: app)) { client in
          try await client.connected()
          let room = try RoomName(checking: name)
          #expect(await service.broker.snapshot(of: room)?.members.count == 1, "\(app)")
          #expect(await service.broker.snapshots().count == 1, "\(app)")
        }
        try await eventually("\(app) is empty") { await service.broker.snapshots().isEmpty }
      }
    }
  }

  @Test func aRefusedPublicationStandsInTheLogWithoutItsToken() async throws {
    let logs = LogCollector()
    try await TestService.with(
      {
        $0.rtmp = .init(0)
        $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
      }, logger: logs.logger()
    ) { service async throws in
      var options = RTMPClientOptions(app: "studio")
      options.flashVersion = "FMLE/3.0"
      try await RTMPTestClient.with(port: service.rtmpPort, options) { client in
        try await client.connected()
        client.send(.publish(name: "guitar?token=not-a-token"))
        let status = try await client.next { if case .status(_, let status) = $0 { status } else { nil } }
        #expect(status.code == RTMPStatus.Code.publishBadName && !status.description.isEmpty)
        let line = try #require(
          logs.text.split(separator: "\n").first { $0.contains("a publication by RTMP was refused") })
        #expect(line.contains("guitar") && line.contains(status.description) && !line.contains("not-a-token"))
      }
    }
  }
}
