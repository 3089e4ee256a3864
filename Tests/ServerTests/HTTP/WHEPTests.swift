import Music
import NIOHTTP1
import Rooms
import Signaling
import Testing

@testable import Server

@Suite struct WHEPTests {
  private let sdp = ("Content-Type", "application/sdp")

  @Test func hearsAMusicianByNameOrIdentifier() async throws {
    try await TestService.with { service async throws in
      let whip = try await service.send(.POST, "/whip/Big%20Room?name=Ada%20L", [sdp], body: Offers.sending())
      #expect(whip.status == 201)
      let room = try #require(RoomName("Big Room"))
      let ada = try #require(await service.broker.snapshot(of: room)?.members.first?.participant)
      for path in ["/whep/Big%20Room/Ada%20L", "/whep/Big%20Room/\(ada.id)"] {
        let answer = try await service.send(.POST, path, [sdp], body: Offers.sending("recvonly"))
        #expect(answer.status == 201 && answer["location"]?.hasPrefix(path + "/") == true)
        #expect(try await service.send(.DELETE, try #require(answer["location"])).status == 200)
      }
      let nobody = try await service.send(.POST, "/whep/Big%20Room/Bob", [sdp], body: Offers.sending("recvonly"))
      #expect(nobody.status == 404)
      #expect(try nobody.problem == "unknown-participant")
      #expect(try nobody.json["permitted"] == ["Ada L"])
    }
  }
}
