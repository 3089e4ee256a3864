import Machines
import Music
import NIOHTTP1
import Realtime
import Rooms
import Signaling
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct WHIPTests {
  private let sdp = ("Content-Type", "application/sdp")
  private let trickle = ("Content-Type", "application/trickle-ice-sdpfrag")

  @Test func answersAnOfferAndEndsWithItsSession() async throws {
    try await TestService.with(ice: [
      ICEServer(urls: ["stun:stun.example:3478"]),
      ICEServer(urls: ["turn:turn.example"], username: "u\"x", credential: "c"),
    ]) { service async throws in
      let answer = try await service.send(.POST, "/whip/Cellar?name=Ada&part=guitar", [sdp], body: Offers.sending())
      #expect(answer.status == 201 && answer["content-type"] == "application/sdp")
      #expect(answer.text.hasPrefix("v=0") && answer.text.contains("a=ice-ufrag:"))
      let location = try #require(answer["location"])
      #expect(location.hasPrefix("/whip/Cellar/") && answer["etag"] != nil)
      #expect(answer["accept-patch"] == "application/trickle-ice-sdpfrag")
      #expect(
        answer.headers["link"] == [
          "<stun:stun.example:3478>; rel=\"ice-server\"",
          "<turn:turn.example>; rel=\"ice-server\"; username=\"u\\\"x\"; credential=\"c\"; credential-type=\"password\"",
        ])
      let room = try #require(RoomName("Cellar"))
      let member = try #require(await service.broker.snapshot(of: room)?.members.first)
      #expect(member.participant.name.description == "Ada" && member.part == "guitar")

      #expect(try await service.send(.DELETE, location).status == 200)
      #expect(try await service.send(.DELETE, location).status == 404)
      #expect(await service.broker.snapshot(of: room)?.members.isEmpty != false)
    }
  }

  /// The same source as in every other dialect (see `NativeLinkTests`).
  @Test func aTURNServerWithASecretGetsCredentialsOfThisParticipant() async throws {
    let secret = RelaySecret(Secret("a secret that coturn shares"))
    // Nobody answers there: candidates come without it.
    let relay = ICEConfiguration.Relay(
      address: "127.0.0.1", port: 9, access: .timeLimited(secret), url: "turn:turn.example:3478")
    try await TestService.with(relays: [relay]) { service async throws in
      let answer = try await service.send(.POST, "/whip/Cellar?name=Ada", [sdp], body: Offers.sending())
      let room = try #require(RoomName("Cellar"))
      let member = try #require(await service.broker.snapshot(of: room)?.members.first)
      let link = try #require(answer["link"])
      let username = try #require(link.firstMatch(of: #/username="([0-9]+:[^"]+)"/#)?.1)
      let expiry = try #require(Int64(username.prefix { $0 != ":" }))
      let made = secret.credentials(for: "\(member.participant.id)", at: expiry - RelaySecret.lifetime)
      #expect(made.username == username)
      #expect(link.contains("credential=\"\(made.password)\""))
    }
  }

  /// RFC 8838: to the client they are no error; the operator sees them in the metrics.
  @Test func candidatesThatLeadElsewhereAreIgnoredAndCounted() async throws {
    try await TestService.with { service async throws in
      let offer = Offers.sending() + "a=candidate:1 1 udp 2130706431 127.0.0.1 53 typ host\r\n"
      let opened = try await service.send(.POST, "/whip/Cellar?name=Ada", [sdp], body: offer)
      #expect(opened.status == 201)
      let location = try #require(opened["location"])
      let tag = try #require(opened["etag"])
      let fragment = Offers.fragment([
        "candidate:1 1 udp 2130706431 169.254.169.254 50000 typ host",
        "candidate:2 1 udp 2130706431 ff02::fb 50000 typ host",
        "candidate:3 1 udp 2130706431 ::ffff:224.0.0.1 50000 typ host",
        "candidate:4 1 udp 2130706431 127.0.0.1 50000 typ host",
      ])
      #expect(try await service.send(.PATCH, location, [trickle, ("If-Match", tag)], body: fragment).status == 204)
      let metrics = try await service.send(.GET, "/metrics").text
      for (reason, count) in [("port", 1), ("link-local", 1), ("multicast", 2), ("machine", 0)] {
        #expect(metrics.contains("jamjar_ice_candidates_refused_total{reason=\"\(reason)\"} \(count)\n"), "\(reason)")
      }
    }
  }

  @Test func tricklesAndRestartsUnderItsTag() async throws {
    try await TestService.with { service async throws in
      let opened = try await service.send(.POST, "/whip/Cellar?name=Ada", [sdp], body: Offers.sending())
      let location = try #require(opened["location"])
      let tag = try #require(opened["etag"])
      func patch(_ body: String, _ match: String?, type: (String, String)? = nil) async throws -> TestService.Answer {
        let headers = [type ?? trickle] + (match.map { [("If-Match", $0)] } ?? [])
        return try await service.send(.PATCH, location, headers, body: body)
      }
      #expect(try await patch(Offers.fragment(), tag).status == 204)
      #expect(try await patch(Offers.fragment(), nil).status == 428)
      #expect(try await patch(Offers.fragment(), "\"stale\"").status == 412)
      #expect(try await patch(Offers.fragment(), tag, type: sdp).status == 415)
      #expect(try await patch("nonsense", tag).status == 400)
      // Credentials of another ICE session under the old tag.
      #expect(try await patch(Offers.fragment(userFragment: "wxyz"), tag).status == 412)
      let restarted = try await patch(Offers.fragment(userFragment: "wxyz"), "*")
      #expect(restarted.status == 200 && restarted["content-type"] == "application/trickle-ice-sdpfrag")
      #expect(restarted.text.contains("a=ice-ufrag:") && restarted["etag"] != tag)
      #expect(try await patch(Offers.fragment(userFragment: "wxyz"), tag).status == 412)
    }
  }

  @Test func refusesWhatIsNoOfferWithoutLeavingASeat() async throws {
    try await TestService.with { service async throws in
      let path = "/whip/Cellar?name=Ada"
      #expect(try await service.send(.POST, path, [sdp], body: "nonsense").status == 400)
      #expect(
        try await service.send(.POST, path, [("Content-Type", "text/plain")], body: Offers.sending()).status == 415)
      #expect(try await service.send(.POST, path, body: Offers.sending()).status == 415)
      #expect(
        try await service.send(.POST, path, [sdp, ("Accept", "text/html")], body: Offers.sending()).status == 406)
      let large = Offers.sending() + String(repeating: "a=x-filler:0123456789\r\n", count: 4_000)
      #expect(try await service.send(.POST, path, [sdp], body: large).status == 413)
      #expect(try await service.send(.POST, "/whip/Cellar", [sdp], body: Offers.sending()).status == 400)
      #expect(try await service.send(.POST, "/whip/Cellar?name=", [sdp], body: Offers.sending()).status == 400)
      #expect(try await service.send(.POST, "/whip/..%2Fx?name=Ada", [sdp], body: Offers.sending()).status == 400)
      #expect(await service.broker.snapshots().flatMap(\.members).isEmpty)
    }
  }

  @Test func refusesTheFourthMusicianAndATakenName() async throws {
    try await TestService.with { service async throws in
      for name in ["Ada", "Bob", "Cy"] {
        let answer = try await service.send(.POST, "/whip/Cellar?name=\(name)", [sdp], body: Offers.sending())
        #expect(answer.status == 201)
      }
      let fourth = try await service.send(.POST, "/whip/Cellar?name=Dee", [sdp], body: Offers.sending())
      #expect(fourth.status == 409)
      #expect(try fourth.problem == "room-full")
      let twin = try await service.send(.POST, "/whip/Cellar?name=Ada", [sdp], body: Offers.sending())
      #expect(twin.status == 409)
      #expect(try twin.problem == "name-taken")
    }
  }

  @Test func tellsOptionsAndRefusesOtherMethods() async throws {
    try await TestService.with { service async throws in
      let preflight = try await service.send(
        .OPTIONS, "/whip/Cellar",
        [("Origin", "http://localhost:3000"), ("Access-Control-Request-Method", "POST")])
      #expect(preflight.status == 204 && preflight["accept-post"] == "application/sdp")
      #expect(preflight["access-control-allow-origin"] == "*")
      #expect(preflight["access-control-allow-headers"]?.contains("If-Match") == true)
      for method in [HTTPMethod.GET, .HEAD, .PUT, .DELETE, .PATCH] {
        let answer = try await service.send(method, "/whip/Cellar")
        #expect(answer.status == 405 && answer["allow"] == "POST, OPTIONS", "\(method)")
      }
      #expect(try await service.send(.POST, "/whip/Cellar/session").status == 405)
      let answer = try await service.send(
        .POST, "/whip/Cellar?name=Ada", [sdp, ("Origin", "http://localhost:3000")], body: Offers.sending())
      #expect(answer["access-control-expose-headers"]?.contains("Location") == true)
    }
  }
}
