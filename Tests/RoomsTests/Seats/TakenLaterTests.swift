import Music
import Recording
import Signaling
import Testing

@testable import Rooms

/// Members who come in first and decide later whether they play, and what a watch sees of them.
@Suite(.timeLimit(.minutes(2))) struct TakenLaterTests {
  private static let room = RoomName("studio")

  private func enter(
    _ service: LiveService, _ name: String, role: Role = .listener, authority: Authority = .musician
  ) async throws -> Membership {
    var request = JoinRequest(name: try DisplayName(checking: name), role: role, door: .opentok)
    request.authority = authority
    return try await service.broker.enter(try #require(TakenLaterTests.room), request)
  }

  private func code(_ body: () async throws -> Void) async throws -> RoomRefusal.Code? {
    do {
      try await body()
      return nil
    } catch let refusal as RoomRefusal {
      return refusal.code
    }
  }

  @Test func aListenerTakesASeatAndGivesItUpAgain() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual, capacity: 1))
    let ada = try await enter(service, "Ada")
    let bob = try await enter(service, "Bob")
    #expect(try await code { _ = try await ada.openFeed(origin: "test", isStereo: false) } == .forbidden)
    try await ada.takeSeat()
    try await ada.takeSeat()
    #expect(try await code { try await bob.takeSeat() } == .roomFull)
    _ = try await ada.openFeed(origin: "test", isStereo: false)
    await ada.giveUpSeat()
    let snapshot = await service.broker.snapshot(of: ada.room)
    let first = try #require(snapshot?.members.first)
    #expect(first.role == .listener && !first.hasPublication && snapshot?.session == nil)
    try await bob.takeSeat()
    let carl = try await enter(service, "Carl", authority: .listener)
    #expect(try await code { try await carl.takeSeat() } == .forbidden)
    for member in [ada, bob, carl] { await member.leave() }
    await service.end()
  }

  @Test func whoBeginsToSendWhileEverybodyIsMutedIsMutedFromTheFirstPacket() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let ada = try await enter(service, "Ada", role: .musician)
    let room = ada.room
    func isMuted() async -> [Bool] { await service.broker.snapshot(of: room)?.members.map(\.isMuted) ?? [] }
    let reached = try await service.broker.muteAll(true, except: [], in: room, by: .operator, at: .opentok)
    #expect(reached.isEmpty)
    _ = try await ada.openFeed(origin: "test", isStereo: false)
    #expect(await isMuted() == [true])
    try await service.broker.mute(ada.participant, false, in: room, by: .operator, at: .opentok)
    #expect(await isMuted() == [false])
    let bob = try await enter(service, "Bob", role: .musician)
    let guide = Principal(.listener, in: room)
    let refused = try await code {
      _ = try await service.broker.muteAll(false, except: [], in: room, by: guide, at: .opentok)
    }
    #expect(refused == .forbidden)
    _ = try await service.broker.muteAll(false, except: [], in: room, by: .operator, at: .opentok)
    _ = try await bob.openFeed(origin: "test", isStereo: false)
    #expect(await isMuted().last == false)
    await ada.leave()
    await bob.leave()
    await service.end()
  }

  @Test func aWatchSeesWhatIsMeantInOrderAndThenItsMark() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let sightings = service.broker.watch { $0 == TakenLaterTests.room }
    let elsewhere = try await service.broker.enter(
      try RoomName(checking: "elsewhere"), JoinRequest(name: try DisplayName(checking: "Eve")))
    let ada = try await enter(service, "Ada")
    await ada.leave()
    service.broker.markWatches(7)
    var words: [String] = []
    seeing: for await sighting in sightings {
      switch sighting {
      case .mark(let number):
        words.append("mark \(number)")
        break seeing
      case .event(.joined(let member), let room): words.append("\(member.participant.name) joins \(room)")
      case .event(.left, let room): words.append("left \(room)")
      case .event: break
      }
    }
    #expect(words == ["Ada joins studio", "left studio", "mark 7"])
    await elsewhere.leave()
    await service.end()
  }
}
