import Client
import Music
import NIOHTTP1
import Signaling
import Testing

@testable import Server

/// How a room's musicians hear each other, over REST and over their links.
@Suite(.timeLimit(.minutes(5))) struct TopologyTests {
  private static let sdp = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\n"

  @Test func anOwnerChoosesBeforeAnybodyIsThereAndLinksCarryTheRest() async throws {
    try await TestService.with { service async throws in
      #expect(try await service.patch("/v1/rooms/den", ["topology": "mesh"]).status == 204)
      let room = try RoomName(checking: "den")
      try await NativeConnection.with(service.endpoint, room: room) { ada in
        let first = try await ada.join(JoinRequest(name: try DisplayName(checking: "Ada")))
        #expect(first.snapshot.policy.topology == .mesh)
        #expect(first.snapshot.members.first?.state == .waiting)
        try await NativeConnection.with(service.endpoint, room: room) { bob in
          let second = try await bob.join(JoinRequest(name: try DisplayName(checking: "Bob")))
          #expect(try await ada.perform(.meshEnter) == .done)
          #expect(try await bob.perform(.meshEnter) == .done)
          let message = PairMessage(.offer(sdp: TopologyTests.sdp))
          #expect(try await ada.perform(.meshRelay(message, to: second.participant)) == .done)
          for await event in bob.events {
            guard case .relayed(let relayed, let sender) = event else { continue }
            #expect(relayed.content == message.content)
            #expect(sender == first.participant)
            break
          }
          let seen = try await service.send(.GET, "/v1/rooms/den").json
          let pair = try #require(seen["pairs"]?.array?.first?.object)
          #expect(pair["offers"]?.string == first.participant.description)
          #expect(pair["answers"]?.string == second.participant.description)
          #expect(pair["state"] == "connecting")
          #expect(pair["route"] == "routed")
          // The operator changes it while they play.
          #expect(try await service.patch("/v1/rooms/den", ["topology": "routed"]).status == 204)
          for await event in bob.events { if case .topology(.routed) = event { break } }
          let after = try await service.send(.GET, "/v1/rooms/den").json
          #expect(after["pairs"] == [])
        }
      }
    }
  }

  @Test func whatIsNoTopologyIsRefusedWithWhatWouldBe() async throws {
    try await TestService.with { service async throws in
      for body in [["topology": "star"], ["topology": 5], [:], ["topology": "mesh", "capacity": 9]] as [JSONValue] {
        let answer = try await service.patch("/v1/rooms/den", body)
        #expect(answer.status == 400, "\(body.text)")
        #expect(try answer.problem == "invalid-field", "\(body.text)")
      }
    }
  }
}
