import Foundation
import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Server

/// Bots of a whole service, in rooms of the same service: what they hear crosses the native protocol, ICE and DTLS.
struct BotTests {
  private static let key = ("Authorization", "Bearer \(TestService.key)")

  private typealias Player = TonePlayer

  private static func allow(_ configuration: inout ServerConfiguration) { configuration.webhooks.allowsPrivate = true }

  private func make(_ service: TestService, there: String, here: String, stays: Bool = true) async throws -> String {
    let url = "jamjar+http://127.0.0.1:\(service.port)/\(there)"
    let answer = try await service.post(
      "/v1/bots", ["url": .string(url), "room": .string(here), "stays": .bool(stays)])
    #expect(answer.status == 201, "\(answer.text)")
    return try answer.json["id"]?.string ?? ""
  }

  private func state(_ bot: String, _ service: TestService) async throws -> String {
    try await service.send(.GET, "/v1/bots/\(bot)").json["state"]?.string ?? "none"
  }

  private func names(_ room: String, _ service: TestService) async throws -> [String] {
    let snapshot = await service.broker.snapshot(of: try RoomName(checking: room))
    return snapshot?.members.filter(\.isPublishing).map(\.participant.name.description).sorted() ?? []
  }

  @Test func whoPlaysThereIsRecordedHereAndCommandsTheBot() async throws {
    try await TestService.with(BotTests.allow) { service in
      let ada = try await Player("Ada", in: "there", of: service)
      let bot = try await make(service, there: "there", here: "here")
      try await eventually("Ada is heard here") { try await names("here", service) == ["Ada"] }
      try await eventually("the bot says so") { try await state(bot, service) == "recording" }
      let greeting = await ada.hears { $0.contains("!help") }
      #expect(greeting != nil)
      try await ada.say("!song Blue in Green")
      #expect(await ada.hears { $0.contains("take") }?.contains("I record take 1") == true)
      let here = try RoomName(checking: "here")
      let song = await service.broker.snapshot(of: here)?.take?.song?.title
      #expect(song == "Blue in Green")
      try await ada.say("!cue Bridge")
      #expect(await ada.hears { $0 == "Marked" } != nil)
      try await ada.say("!consent no")
      #expect(await ada.hears { $0.contains("any more") } != nil)
      let member = await service.broker.snapshot(of: here)?.members.first
      #expect(member?.consents == false)
      #expect(member?.participant.name.description == "Ada")
      try await ada.say("!stop")
      #expect(await ada.hears { $0.contains("Stopped") } != nil)
      try await ada.say("!dance")
      #expect(await ada.hears { $0.contains("do not know") } != nil)
      await ada.leave()
      try await eventually("nobody is heard") { try await state(bot, service) == "waiting" }
      try await eventually("the room here is empty") { try await names("here", service).isEmpty }
    }
  }

  @Test func whoDoesNotConsentThereIsNotRecordedHere() async throws {
    try await TestService.with(BotTests.allow) { service in
      let ada = try await Player("Ada", in: "there", of: service, consents: false)
      let bob = try await Player("Bob", in: "there", of: service)
      _ = try await make(service, there: "there", here: "here")
      try await eventually("Bob is heard here") { try await names("here", service) == ["Bob"] }
      // A command that the bot has answered comes after everything that it knew before.
      try await bob.say("!status")
      _ = await bob.hears { $0.contains("I hear") }
      let heard = try await names("here", service)
      #expect(heard == ["Bob"])
      await ada.leave()
      await bob.leave()
    }
  }

  @Test func aBotIsMadeListedAndSentAway() async throws {
    try await TestService.with({ configuration in
      configuration.webhooks.allowsPrivate = true
      configuration.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    }) { service in
      let secret = "janus+ws://127.0.0.1:1/?room=1234&pin=sesame&secret=hush"
      let stranger = try await service.post("/v1/bots", ["url": .string(secret)])
      #expect(stranger.status == 401)
      let owner = try await service.token("Cellar", .owner)
      let refused = try await service.post("/v1/bots", ["url": .string(secret)], [owner])
      #expect(refused.status == 403)
      let made = try await service.post("/v1/bots", ["url": .string(secret), "room": "Cellar"], [BotTests.key])
      #expect(made.status == 201)
      #expect(!made.text.contains("sesame"))
      #expect(!made.text.contains("hush"))
      #expect(made.text.contains("room=1234"))
      let again = try await service.post("/v1/bots", ["url": .string(secret), "room": "Cellar"], [BotTests.key])
      #expect(again.status == 200)
      let id = try made.json["id"]?.string ?? ""
      #expect(try again.json["id"]?.string == id)
      try await eventually("nobody answers there") {
        try await service.send(.GET, "/v1/bots/\(id)", [BotTests.key]).json["state"]?.string == "rejoining"
      }
      #expect(try await service.send(.DELETE, "/v1/bots/\(id)", [BotTests.key]).status == 204)
      #expect(try await service.send(.DELETE, "/v1/bots/\(id)", [BotTests.key]).status == 404)
      #expect(try await service.send(.GET, "/v1/bots", [BotTests.key]).items.isEmpty)
    }
  }

  /// Both hear somebody of their own, and neither hears what the other brought.
  @Test func botsThatVisitEachOtherDoNotRecordInCircles() async throws {
    try await TestService.with(BotTests.allow) { service in
      let ada = try await Player("Ada", in: "there", of: service)
      let bob = try await Player("Bob", in: "here", of: service)
      _ = try await make(service, there: "there", here: "here")
      _ = try await make(service, there: "here", here: "there")
      for room in ["there", "here"] {
        try await eventually("both are in \(room)") { try await names(room, service) == ["Ada", "Bob"] }
      }
      for (player, name) in [(ada, "Ada"), (bob, "Bob")] {
        try await player.say("!status")
        let answer = await player.hears { $0.contains("I hear") }
        #expect(answer?.hasSuffix("I hear \(name)") == true)
      }
      for room in ["there", "here"] {
        let all = try await names(room, service)
        #expect(all == ["Ada", "Bob"])
      }
      await ada.leave()
      await bob.leave()
    }
  }

  @Test func somebodyWhoseNameIsTakenHereIsRecordedAllTheSame() async throws {
    try await TestService.with(BotTests.allow) { service in
      let there = try await Player("Ada", in: "there", of: service)
      let here = try await Player("Ada", in: "here", of: service)
      _ = try await make(service, there: "there", here: "here")
      try await eventually("both are heard") { try await names("here", service) == ["Ada", "Ada 2"] }
      await there.leave()
      await here.leave()
    }
  }

  @Test func aRefusalToBeRecordedSurvivesARestart() async throws {
    let data = try DataFolder()
    try await TestService.with(BotTests.allow, data: data) { service in
      let ada = try await Player("Ada", in: "there", of: service)
      _ = try await make(service, there: "there", here: "here")
      _ = await ada.hears { $0.contains("!help") }
      try await ada.say("!consent no")
      #expect(await ada.hears { $0.contains("any more") } != nil)
      await ada.leave()
    }
    let folder = try TakeFolder(existing: BotFile.folder, in: data.path)
    let kept = try BotFile.read(BotFile.name, in: folder)?.wishes().first?.silent
    let expected: Set<DisplayName> = [try DisplayName(checking: "Ada")]
    #expect(kept == expected)
  }

  /// A token that has run out is replaced by sending the bot once more.
  @Test func theSamePlaceWithOtherSecretsReplacesTheBot() async throws {
    try await TestService.with(BotTests.allow) { service in
      let first = try await service.post("/v1/bots", ["url": "janus+ws://127.0.0.1:1/?room=1&pin=old-pin"])
      let same = try await service.post("/v1/bots", ["url": "janus+ws://127.0.0.1:1/?room=1&pin=old-pin"])
      let next = try await service.post("/v1/bots", ["url": "janus+ws://127.0.0.1:1/?room=1&pin=new-pin"])
      #expect(first.status == 201)
      #expect(same.status == 200)
      #expect(next.status == 201)
      let bots = try await service.send(.GET, "/v1/bots").items
      #expect(bots.count == 1)
      let id = try next.json["id"]?.string
      #expect(bots.first?["id"]?.string == id)
    }
  }

  @Test func whoeverIsHeardHasAPlausibleName() throws {
    let names = [
      ("Ada", "Ada"), ("  Ada\u{7}\n", "Ada"), ("", "guest"), ("\u{200F}", "guest"), ("\u{200F}Ada", "Ada"),
      ("a" + String(repeating: "\u{301}", count: 5_000), "guest"),
    ]
    for (text, name) in names {
      let made = try GuestSeat.name(text, beside: [])
      #expect(made.description == name)
    }
    let ada = try DisplayName(checking: "Ada")
    let other = try GuestSeat.name("Ada", beside: [ada])
    #expect(other.description == "Ada 2")
  }

  @Test func sentencesOfOtherServersShowNoSecret() throws {
    let address = try BotAddress("janus+ws://host/?room=1&pin=sesame&secret=hushhush")
    let fault = address.redacted(GuestFault(.refused, "wrong pin 'sesame' with hushhush"))
    #expect(fault.description == "wrong pin '…' with …")
    let problem = #expect(throws: ValueProblem.self) { try BotAddress("janus+ws://ada:sesame@host/?room=1") }
    #expect(problem?.description.contains("sesame") == false)
  }

  @Test func wishesSurviveARestart() async throws {
    let data = try DataFolder()
    try await TestService.with(BotTests.allow, data: data) { service in
      _ = try await make(service, there: "there", here: "here")
    }
    try await TestService.with(BotTests.allow, data: data) { service in
      let bots = try await service.send(.GET, "/v1/bots").items
      #expect(bots.count == 1)
      #expect(bots.first?["room"]?.string == "here")
    }
  }

  @Test func theAddressIsCheckedLikeThatOfAWebhook() async throws {
    try await TestService.with { service in
      let made = try await service.post("/v1/bots", ["url": "janus+ws://127.0.0.1:8188/?room=1"])
      let id = try made.json["id"]?.string ?? ""
      try await eventually("the bot may not go there") {
        let bot = try await service.send(.GET, "/v1/bots/\(id)").json
        return bot["detail"]?.string?.contains("no address of the internet") == true
      }
    }
  }

  @Test(arguments: [
    "", "janus", "ftp://host/", "janus+ws://host/", "kurento+http://host/?room=1", "jamjar+http://host/",
    "jamjar+http://host/a/b", "jamjar+https://user@host/a", "whep+ws://host/a", "kurento+wss://host/room",
    "janus+ws://ho st/?room=1", "janus+ws://host:99999/?room=1",
  ])
  func anAddressThatIsNoneIsRefused(_ url: String) async throws {
    #expect(throws: ValueProblem.self) { try BotAddress(url) }
  }

  @Test func addressesSayWhereToGo() throws {
    let janus = try BotAddress("janus+wss://media.example:8989/janus?room=1234&pin=a%20b&secret=s&x=1")
    #expect(janus.kind == .janus)
    #expect(janus.target == "/janus?x=1")
    #expect(janus.room == "1234")
    #expect(janus.pin == "a b")
    #expect(janus.url.port == 8_989)
    #expect(janus.shown == "janus+wss://media.example:8989/janus?room=1234")
    #expect(!janus.isPolled)
    let polled = try BotAddress("janus+https://media.example:8089/janus?room=1234")
    #expect(polled.isPolled)
    #expect(polled.target == "/janus")
    #expect(polled.shown == "janus+https://media.example:8089/janus?room=1234")
    let other = try BotAddress("jamjar+https://studio.example/The%20Cellar?token=t")
    #expect(other.target == "/v1/rooms/The%20Cellar/signal")
    #expect(other.token == "t")
    #expect(other.shown == "jamjar+https://studio.example/The%20Cellar")
    let whep = try BotAddress("https://media.example/jam/whep?token=t&fast=1")
    #expect(whep.kind == .whep)
    #expect(whep.url.text == "https://media.example:443/jam/whep?fast=1")
    #expect(whep.room == "jam")
  }
}
