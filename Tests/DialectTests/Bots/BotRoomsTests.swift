import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Server

/// Bots in rooms of other protocols; the foreign server is this service's own door, with real media.
@Suite(.timeLimit(.minutes(5))) struct BotRoomsTests {
  private static func allow(_ configuration: inout ServerConfiguration) { configuration.webhooks.allowsPrivate = true }

  private func make(_ service: TestService, _ scheme: String, _ target: String) async throws -> String {
    let url = "\(scheme)://127.0.0.1:\(service.port)/\(target)"
    let made = try await service.post("/v1/bots", ["url": .string(url), "room": "here"])
    #expect(made.status == 201, "\(made.text)")
    return try made.json["id"]?.string ?? ""
  }

  private func bot(_ id: String, _ service: TestService) async throws -> JSONObject {
    try await service.send(.GET, "/v1/bots/\(id)").json
  }

  private func heard(_ service: TestService) async throws -> [String] {
    let snapshot = await service.broker.snapshot(of: try RoomName(checking: "here"))
    return snapshot?.members.filter(\.isPublishing).map(\.participant.name.description).sorted() ?? []
  }

  /// The bot answers whom it finds, and in a mesh it offers to those who come after it.
  @Test(arguments: [
    ("kurento+ws", "room?room=there"),
    ("xirsys+http", "studio/app/there?ident=band&secret=hush-hush"),
    ("xirsys+http", "studio/app/there?ident=band&secret=hush-hush&dialect=perch"),
  ])
  func whoPlaysThereIsRecordedHere(scheme: String, target: String) async throws {
    try await TestService.with(BotRoomsTests.allow) { service in
      let ada = try await TonePlayer("Ada", in: "there", of: service)
      let id = try await make(service, scheme, target)
      try await eventually("Ada is heard here") { try await heard(service) == ["Ada"] }
      let bob = try await TonePlayer("Bob", in: "there", of: service)
      try await eventually("Bob is heard here too") { try await heard(service) == ["Ada", "Bob"] }
      await ada.leave()
      try await eventually("Bob is left") { try await heard(service) == ["Bob"] }
      let text = try await bot(id, service)
      #expect(text["state"]?.string == "recording")
      #expect(text["url"]?.string?.contains("hush") == false)
      await bob.leave()
      try await eventually("nobody is heard") { try await bot(id, service)["state"]?.string == "waiting" }
      #expect(try await service.send(.DELETE, "/v1/bots/\(id)").status == 204)
    }
  }

  @Test func aMusicianIsHeardByWHEPAndTheBotSaysGoodbye() async throws {
    try await TestService.with(BotRoomsTests.allow) { service in
      let id = try await make(service, "whep+http", "whep/there/Ada")
      try await eventually("nobody is there yet") {
        try await bot(id, service)["detail"]?.string?.contains("404") == true
      }
      let ada = try await TonePlayer("Ada", in: "there", of: service)
      try await eventually("Ada is heard here") { try await heard(service) == ["Ada"] }
      let here = try RoomName(checking: "here")
      let musician = try #require(await service.broker.snapshot(of: here)?.members.first { $0.isPublishing })
      #expect(musician.participant.name.description == "Ada")
      try await service.expectMusic(of: musician.participant.id, in: here)
      let there = try RoomName(checking: "there")
      try await eventually("Ada and the bot are there") {
        await service.broker.snapshot(of: there)?.members.count == 2
      }
      #expect(try await service.send(.DELETE, "/v1/bots/\(id)").status == 204)
      try await eventually("the bot's session there has ended") {
        await service.broker.snapshot(of: there)?.members.count == 1
      }
      await ada.leave()
    }
  }

  /// `--leave`: ten seconds after the last musician.
  @Test func aBotThatDoesNotStayIsGoneAfterTheLastMusician() async throws {
    try await TestService.with(BotRoomsTests.allow) { service in
      let url = "jamjar+http://127.0.0.1:\(service.port)/there"
      let made = try await service.post(
        "/v1/bots", ["url": .string(url), "room": "here", "stays": false])
      let id = try made.json["id"]?.string ?? ""
      try await eventually("the bot waits for the first") { try await bot(id, service)["state"]?.string == "waiting" }
      for name in ["Ada", "Bob"] {
        let player = try await TonePlayer(name, in: "there", of: service)
        try await eventually("\(name) is heard here") { try await heard(service) == [name] }
        await player.leave()
      }
      try await eventually("the bot is gone") { try await service.send(.GET, "/v1/bots/\(id)").status == 404 }
      // The room there hears of it over a socket.
      let there = try RoomName(checking: "there")
      try await eventually("it has left the room there") {
        await service.broker.snapshot(of: there)?.members.isEmpty ?? true
      }
    }
  }

  @Test func aWrongAccountIsARefusal() async throws {
    try await TestService.with({ configuration in
      configuration.webhooks.allowsPrivate = true
      configuration.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    }) { service in
      let key = ("Authorization", "Bearer \(TestService.key)")
      for dialect in ["perch", "message"] {
        let url = "xirsys+http://127.0.0.1:\(service.port)/there?ident=band&secret=wrong&dialect=\(dialect)"
        let made = try await service.post("/v1/bots", ["url": .string(url), "room": .string(dialect)], [key])
        let id = try made.json["id"]?.string ?? ""
        try await eventually("the bot says why") {
          let detail = try await service.send(.GET, "/v1/bots/\(id)", [key]).json["detail"]?.string
          return detail?.contains("refuses the bot") == true
        }
      }
    }
  }

  @Test(arguments: [
    "xirsys+http://host/?ident=a&secret=b", "xirsys+http://host/there?ident=a", "xirsys+http://host/there?secret=b",
    "xirsys+http://host/there?ident=a&secret=b&dialect=c", "xirsys+ws://host/there?ident=a&secret=b",
  ])
  func aChannelWithoutAnAccountIsNone(_ url: String) {
    #expect(throws: ValueProblem.self) { try BotAddress(url) }
  }
}
