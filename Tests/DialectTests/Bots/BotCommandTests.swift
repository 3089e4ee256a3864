import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Server

/// Those whom a bot does not obey: in the room where it listens, and in others.
@Suite(.timeLimit(.minutes(3))) struct BotCommandTests {
  private static let orders = ["!take", "!stop", "!split", "!cue Mine", "!song Mine", "!consent no"]

  private static func allow(_ configuration: inout ServerConfiguration) { configuration.webhooks.allowsPrivate = true }

  /// Two services, in the order of the music: where it is played, and where a bot records it.
  private static func withTwoServices(
    _ body: (_ there: TestService, _ here: TestService) async throws -> Void
  ) async throws {
    try await TestService.with { there in
      try await TestService.with(BotCommandTests.allow, policy: RoomPolicy(recording: .call)) { here in
        try await body(there, here)
      }
    }
  }

  private func send(
    _ target: String, by scheme: String, to there: TestService, for here: TestService, into room: String
  ) async throws {
    let url = "\(scheme)://127.0.0.1:\(there.port)/\(target)"
    let made = try await here.post("/v1/bots", ["url": .string(url), "room": .string(room)])
    #expect(made.status == 201, "\(made.text)")
  }

  private func room(_ name: String, _ service: TestService) async throws -> RoomSnapshot? {
    await service.broker.snapshot(of: try RoomName(checking: name))
  }

  private func enter(_ name: String, _ room: String, as role: Role, _ service: TestService) async throws -> Membership {
    try await service.broker.enter(
      try RoomName(checking: room), JoinRequest(name: try DisplayName(checking: name), role: role))
  }

  /// A member who only listens, and a musician who has not played yet.
  @Test(arguments: [("jamjar+http", "there"), ("kurento+ws", "room?room=there")], [Role.listener, .musician])
  func whoIsNotHeardIsToldSoAndCommandsNothing(place: (scheme: String, target: String), role: Role) async throws {
    try await BotCommandTests.withTwoServices { there, here in
      let ada = try await TonePlayer("Ada", in: "there", of: there)
      let eve = try await enter("Eve", "there", as: role, there)
      try await send(place.target, by: place.scheme, to: there, for: here, into: "here")
      try await eventually("a take of Ada rolls") { try await room("here", here)?.take != nil }
      let before = try await room("here", here)
      for order in BotCommandTests.orders {
        _ = try await eve.perform(.message(order, to: nil))
        let answer = await ada.hears { $0.hasPrefix("That is not possible") }
        #expect(answer?.contains("hear") == true, "\(order)")
      }
      let after = try await room("here", here)
      #expect(after?.take == before?.take)
      #expect(after?.members.map(\.consents) == [true])
      // It goes on to obey whom it hears.
      try await ada.say("!stop")
      #expect(await ada.hears { $0.contains("Stopped") } != nil)
      #expect(try await room("here", here)?.take == nil)
      await eve.leave()
      await ada.leave()
    }
  }

  /// Or somebody without a seat could keep the musicians from stopping the take.
  @Test func whoIsNotHeardCannotTalkTheMusiciansDown() async throws {
    try await BotCommandTests.withTwoServices { there, here in
      let ada = try await TonePlayer("Ada", in: "there", of: there)
      let eve = try await enter("Eve", "there", as: .listener, there)
      try await send("there", by: "jamjar+http", to: there, for: here, into: "here")
      try await eventually("a take of Ada rolls") { try await room("here", here)?.take != nil }
      for _ in 0..<40 { _ = try await eve.perform(.message("!help", to: nil)) }
      try await ada.say("!stop")
      #expect(await ada.hears { $0.contains("Stopped") } != nil)
      await eve.leave()
      await ada.leave()
    }
  }

  /// Commands count where they are said: neither in another room, nor in the one that records.
  @Test func aCommandInAnotherRoomIsForTheBotThere() async throws {
    try await BotCommandTests.withTwoServices { there, here in
      let (ada, bob) = (
        try await TonePlayer("Ada", in: "one", of: there), try await TonePlayer("Bob", in: "two", of: there)
      )
      for name in ["one", "two"] {
        try await send(name, by: "jamjar+http", to: there, for: here, into: name)
        try await eventually("a take of \(name) rolls") { try await room(name, here)?.take != nil }
      }
      let before = try await room("one", here)?.take
      let cyd = try await enter("Cyd", "one", as: .listener, here)
      for order in BotCommandTests.orders { _ = try await cyd.perform(.message(order, to: nil)) }
      try await bob.say("!stop")
      #expect(await bob.hears { $0.contains("Stopped") } != nil)
      #expect(try await room("two", here)?.take == nil)
      // Answered after everything that the bot had been told before.
      try await ada.say("!status")
      #expect(await ada.hears { $0.contains("I record take") } != nil)
      #expect(try await room("one", here)?.take == before)
      await cyd.leave()
      await ada.leave()
      await bob.leave()
    }
  }
}
