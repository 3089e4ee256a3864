import Foundation
import Machines
import Music
import Recording
import Signaling
import TestSupport
import Testing

@testable import Rooms

/// Stop in a room that records by itself: nothing is recorded until somebody asks for it, or everybody has gone.
@Suite(.serialized, .timeLimit(.minutes(3))) struct StoppedRoomTests {
  private func isStopped(_ service: LiveService) async throws -> Bool? {
    await service.broker.snapshot(of: try RoomName(checking: "studio"))?.isStopped
  }

  private func play(_ player: ClientPeer) async throws {
    let performance = try TestSignal(seed: 8, seconds: 0.5).performance()
    await player.play(performance, from: MonotonicClock.now)
  }

  /// Plays until a take rolls: on a busy machine, the room hears the music later than it is played.
  private func record(_ player: ClientPeer, _ service: LiveService) async throws {
    try await play(player)
    let room = try RoomName(checking: "studio")
    try await eventually("a take begins with the first sound") { await service.broker.snapshot(of: room)?.take != nil }
  }

  private func next(_ events: inout AsyncStream<RoomEvent>.Iterator, _ isMeant: (RoomEvent) -> Bool) async -> RoomEvent?
  {
    while let event = await events.next() { if isMeant(event) { return event } }
    return nil
  }

  @Test func noNewcomerBeginsATakeUntilSomebodyStarts() async throws {
    let service = try await LiveService()
    let ada = try await service.musician("ada", in: "studio")
    var events = ada.membership.events.makeAsyncIterator()
    try await record(ada.peer, service)
    #expect(try await isStopped(service) == false)
    _ = try await ada.membership.perform(.stopTake)
    let stopped = await next(&events) { if case .takeStopped = $0 { true } else { false } }
    guard case .takeStopped(_, nil, true) = stopped else {
      Issue.record("not said to be stopped: \(String(describing: stopped))")
      return
    }
    let bob = try await service.musician("bob", in: "studio")
    #expect(bob.membership.snapshot.isStopped)
    try await play(bob.peer)
    let room = await service.broker.snapshot(of: try RoomName(checking: "studio"))
    #expect(room?.members.allSatisfy(\.isPublishing) == true)
    #expect(room?.take == nil && room?.isStopped == true)
    _ = try await bob.membership.perform(.startTake(song: nil))
    #expect(try await isStopped(service) == false)
    await ada.peer.close()
    await bob.peer.close()
    await service.end()
  }

  @Test func theNextSessionRecordsByItselfAgain() async throws {
    let service = try await LiveService()
    let ear = try await service.broker.enter(
      try RoomName(checking: "studio"), JoinRequest(name: try DisplayName(checking: "ear"), role: .listener))
    let ada = try await service.musician("ada", in: "studio")
    try await record(ada.peer, service)
    _ = try await ada.membership.perform(.stopTake)
    _ = try await ada.membership.perform(.leave)
    await ada.peer.close()
    #expect(try await isStopped(service) == false)
    let bob = try await service.musician("bob", in: "studio")
    try await record(bob.peer, service)
    await bob.peer.close()
    await ear.leave()
    await service.end()
  }

  @Test func aRoomThatIsRecordedByCommandIsNeverCalledStopped() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let ada = try await service.musician("ada", in: "studio")
    _ = try await ada.membership.perform(.startTake(song: nil))
    try await play(ada.peer)
    _ = try await ada.membership.perform(.stopTake)
    #expect(try await isStopped(service) == false)
    await ada.peer.close()
    await service.end()
  }
}
