import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import Synchronization
import TestSupport
import Testing

@testable import Server

/// Rooms elsewhere that have no place for a bot, or do not let it in, with real media where it comes so far; rooms of Janus
/// are in the end-to-end tests.
@Suite(.timeLimit(.minutes(3))) struct BotAdmissionTests {
  private static func allow(_ configuration: inout ServerConfiguration) { configuration.webhooks.allowsPrivate = true }

  /// Two services: where music is played, and where a bot records it.
  private static func withTwoServices(
    _ adjust: (inout ServerConfiguration) throws -> Void = { _ in }, capacity: Int = 3,
    _ body: (_ there: TestService, _ here: TestService) async throws -> Void
  ) async throws {
    try await TestService.with(adjust, policy: RoomPolicy(recording: .manual, capacity: capacity)) { there in
      try await TestService.with(BotAdmissionTests.allow, policy: RoomPolicy(recording: .call)) { here in
        try await body(there, here)
      }
    }
  }

  private func send(_ target: String, by scheme: String, to there: TestService, for here: TestService) async throws
    -> String
  {
    let url = "\(scheme)://127.0.0.1:\(there.port)/\(target)"
    let made = try await here.post("/v1/bots", ["url": .string(url), "room": "here"])
    #expect(made.status == 201, "\(made.text)")
    return try made.json["id"]?.string ?? ""
  }

  private func report(_ id: String, _ service: TestService) async throws -> JSONObject {
    try await service.send(.GET, "/v1/bots/\(id)").json
  }

  private func heard(_ service: TestService) async throws -> [String] {
    let snapshot = await service.broker.snapshot(of: try RoomName(checking: "here"))
    return snapshot?.members.filter(\.isPublishing).map(\.participant.name.description).sorted() ?? []
  }

  /// Its client has to take a seat, as Kurento knows no listeners.
  @Test func aFullRoomOfKurentoIsAskedAgainWhenAMusicianMayHaveLeft() async throws {
    try await BotAdmissionTests.withTwoServices { there, here in
      var players: [TonePlayer] = []
      for name in ["Ada", "Bob", "Cyd"] { players.append(try await TonePlayer(name, in: "there", of: there)) }
      let id = try await send("room?room=there", by: "kurento+ws", to: there, for: here)
      try await eventually("the bot finds no place") { try await report(id, here)["state"]?.string == "full" }
      let full = try await report(id, here)
      let reason = "all 3 seats of there are taken; come back when a musician has left"
      #expect(full["detail"]?.string == "the room refuses the bot: \(reason) (201)")
      #expect(full["attempts"]?.integer == 1)
      #expect(try await here.send(.GET, "/v1/takes").items.isEmpty)
      #expect(await here.broker.snapshot(of: try RoomName(checking: "here")) == nil)
      await players.removeLast().leave()
      try await eventually("the bot has come in") { try await heard(here) == ["Ada", "Bob"] }
      // Its last word before that it is in is where it goes.
      try await eventually("it has nothing more to say") { try await report(id, here)["detail"] == nil }
      #expect(try await report(id, here)["attempts"]?.integer ?? 9 <= 3)
      for player in players { await player.leave() }
    }
  }

  /// A bot listens, which takes no seat; here its guests take some.
  @Test func aFullRoomOfJamjarHasAPlaceForTheBot() async throws {
    try await BotAdmissionTests.withTwoServices(capacity: 4) { there, here in
      var players: [TonePlayer] = []
      for name in ["Ada", "Bob", "Cyd", "Dan"] { players.append(try await TonePlayer(name, in: "there", of: there)) }
      let id = try await send("there", by: "jamjar+http", to: there, for: here)
      try await eventually("three of four are heard") { try await heard(here).count == 3 }
      try await eventually("the bot says why it does not record the fourth") {
        let bot = try await report(id, here)
        return bot["state"]?.string == "recording"
          && bot["detail"]?.string?.hasPrefix("all 3 seats of here are taken") == true
      }
      #expect(try await report(id, here)["attempts"]?.integer == 1)
      let first = try await heard(here).first
      for (index, player) in players.enumerated() where player.name == first {
        await player.leave()
        players.remove(at: index)
        break
      }
      try await eventually("the fourth is heard instead") {
        try await heard(here) == players.map(\.name).sorted()
      }
      try await eventually("nothing is left to say") { try await report(id, here)["detail"] == nil }
      for player in players { await player.leave() }
    }
  }

  private static let strangers: [(StreamServer.Answer, String)] = [
    (.whole("404 Not Found", []), "needs the path of Janus' API"),
    (.whole("200 OK", Array("nonsense".utf8)), "the server's message cannot be read"),
    (.whole("200 OK", Array(#"{"videoroom":"joined"}"#.utf8)), "is this a Janus server?"),
    (.whole("503 Service Unavailable", []), "the server answers 503"),
  ]

  @Test(arguments: strangers)
  func whatIsNoJanusIsSaid(answer: StreamServer.Answer, words: String) async throws {
    try await StreamServer.with({ _ in answer }) { server in
      try await TestService.with(BotAdmissionTests.allow) { here in
        let url = "janus+http://127.0.0.1:\(server.port)/janus?room=1234"
        let made = try await here.post("/v1/bots", ["url": .string(url), "room": "here"])
        let id = try made.json["id"]?.string ?? ""
        try await eventually("the bot says why") {
          try await report(id, here)["detail"]?.string?.contains(words) == true
        }
        #expect(await here.broker.snapshot(of: try RoomName(checking: "here")) == nil)
        #expect(server.requests.withLock { $0.allSatisfy { $0.hasPrefix("POST /janus ") } })
      }
    }
  }

  /// A room for which the service has no token is none for the bot.
  @Test(arguments: [("jamjar+http", "there"), ("kurento+ws", "room?room=there"), ("whep+http", "whep/there/Ada")])
  func aRoomThatNeedsATokenIsARefusal(scheme: String, target: String) async throws {
    try await BotAdmissionTests.withTwoServices({
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    }) { there, here in
      let id = try await send(target, by: scheme, to: there, for: here)
      try await eventually("the bot says why") {
        let bot = try await report(id, here)
        return bot["state"]?.string == "rejoining" && bot["detail"]?.string?.contains("token") == true
      }
      let bot = try await report(id, here)
      #expect(bot["attempts"]?.integer == 1, "after a refusal it waits for half a minute")
      #expect(bot["detail"]?.string?.contains("\n") == false)
      try await eventually("nobody has a seat here") {
        await here.broker.snapshot(of: try RoomName(checking: "here"))?.members.isEmpty ?? true
      }
      #expect(try await here.send(.GET, "/v1/takes").items.isEmpty)
    }
  }
}
