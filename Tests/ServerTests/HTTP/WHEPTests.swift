import Music
import NIOHTTP1
import Rooms
import Signaling
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct WHEPTests {
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

  @Test func hearsTheLiveMixWithOrWithoutAMusician() async throws {
    try await TestService.with { service async throws in
      let empty = try await service.send(.POST, "/whep/Band/mix", [sdp], body: Offers.sending("recvonly"))
      #expect(empty.status == 404, "a mix of nobody is none")
      #expect(try await service.send(.POST, "/whip/Band?name=Ada", [sdp], body: Offers.sending()).status == 201)
      for path in ["/whep/Band/mix", "/whep/Band/mix?without=Ada"] {
        let answer = try await service.send(.POST, path, [sdp], body: Offers.sending("recvonly"))
        #expect(answer.status == 201 && answer["location"]?.hasPrefix("/whep/Band/mix/") == true)
        #expect(try await service.send(.DELETE, try #require(answer["location"])).status == 200)
      }
      let stranger = try await service.send(
        .POST, "/whep/Band/mix?without=Bob", [sdp], body: Offers.sending("recvonly"))
      #expect(stranger.status == 404)
      #expect(try stranger.json["field"] == "without")
      let one = try await service.send(.POST, "/whep/Band/Ada?without=Ada", [sdp], body: Offers.sending("recvonly"))
      #expect(one.status == 400)
    }
  }

  @Test func aMusicianWhoIsCalledMixIsHeardUnderTheirName() async throws {
    try await TestService.with { service async throws in
      #expect(try await service.send(.POST, "/whip/Band?name=mix", [sdp], body: Offers.sending()).status == 201)
      let one = try await service.send(.POST, "/whep/Band/mix?without=mix", [sdp], body: Offers.sending("recvonly"))
      #expect(one.status == 400, "one musician is no mix that somebody could be left out of")
    }
  }
}
