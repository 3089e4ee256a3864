import Catalog
import Machines
import Music
import Realtime
import Recording
import Signaling
import Testing

@testable import Rooms

/// Musicians who leave right after their last packet, over paths that lose many of them.
@Suite(.timeLimit(.minutes(5))) struct LeavingTests {
  private func input(_ service: LiveService, _ name: String, in room: RoomName) async throws -> RTPInput {
    try await service.broker.addRTPInput(
      in: room, RTPInputRequest(name: try DisplayName(checking: name), payloadType: 111))
  }

  private func watch(_ room: RoomName, of service: LiveService) async throws -> Membership {
    try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "watcher"), role: .listener))
  }

  @Test func atALossOfAFifthNothingIsMissing() async throws {
    let service = try await LiveService()
    let performance = try TestSignal(seed: 3, seconds: 1).performance()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for seed in UInt64(1)...12 {
        group.addTask {
          let room = try RoomName(checking: "studio-\(seed)")
          let watcher = try await watch(room, of: service)
          let input = try await input(service, "desk", in: room)
          let musician = LossyMusician(loop: service.clients)
          await musician.open(port: input.port, loss: 0.2, seed: seed)
          await musician.play(performance)
          try await service.broker.removeRTPInput(input.id, in: room)
          await musician.vanish()
          let take = try #require(await service.finishedTake(watcher.events))
          let track = try #require(try await service.index.tracks(of: take).first)
          let alignment = try #require(track.alignment)
          #expect(alignment.expectedPackets == performance.packets.count, "seed \(seed)")
          #expect(alignment.lostPackets == 0, "seed \(seed)")
          // Nothing after the last packet either: the take ends with it.
          #expect(track.gaps.isEmpty, "seed \(seed): \(track.gaps)")
          #expect(alignment.concealedSamples == 0, "seed \(seed)")
        }
      }
      try await group.waitForAll()
    }
    await service.end()
  }

  /// A musician whose last packets are lost and cannot be had again yet, who has just left, and what the room said.
  private func leaveWithHoles(
    _ service: LiveService, room: RoomName, watcher: Membership, musician: LossyMusician, performance: Performance,
    isMuted: Bool = false
  ) async throws -> Task<Void, any Error> {
    let input = try await input(service, "desk", in: room)
    if isMuted { try await service.broker.mute(input.participant, true, in: room, by: .operator, at: .rest) }
    await musician.open(port: input.port, loss: 0.2, seed: 9)
    await musician.play(performance)
    await musician.cut()
    let removal = Task { try await service.broker.removeRTPInput(input.id, in: room) }
    for await event in watcher.events { if case .left(input.participant) = event { break } }
    return removal
  }

  @Test func forTheOthersTheyAreGoneAtOnce() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let watcher = try await watch(room, of: service)
    let musician = LossyMusician(loop: service.clients)
    let performance = try TestSignal(seed: 4, seconds: 1).performance()
    let ada = try await service.musician("ada", in: "studio")
    let removal = try await leaveWithHoles(
      service, room: room, watcher: watcher, musician: musician, performance: performance)
    let snapshot = try #require(await service.broker.snapshot(of: room))
    #expect(snapshot.members.map { $0.participant.name.description }.sorted() == ["ada", "watcher"])
    let again = try await input(service, "desk", in: room)
    await musician.restore()
    try await removal.value
    try await service.broker.removeRTPInput(again.id, in: room)
    guard case .take(let take, _) = try await ada.membership.perform(.stopTake) else {
      throw ClientPeer.Failure(description: "no take")
    }
    #expect(await service.finishedTake(ada.membership.events) == take)
    let track = try #require(
      try await service.index.tracks(of: take).first { $0.participant.name.description == "desk" })
    #expect(track.alignment?.expectedPackets == performance.packets.count)
    #expect(track.alignment?.lostPackets == 0)
    await musician.vanish()
    await ada.peer.close()
    await service.end()
  }

  @Test func whatComesLateOfAMutedMusicianIsSilentToo() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let watcher = try await watch(room, of: service)
    let musician = LossyMusician(loop: service.clients)
    let performance = try TestSignal(seed: 5, seconds: 1).performance()
    let removal = try await leaveWithHoles(
      service, room: room, watcher: watcher, musician: musician, performance: performance, isMuted: true)
    await musician.restore()
    try await removal.value
    await musician.vanish()
    let take = try #require(await service.finishedTake(watcher.events))
    let row = try #require(try await service.index.take(take))
    let track = try #require(try await service.index.tracks(of: take).first)
    #expect(track.alignment?.expectedPackets == performance.packets.count)
    #expect(track.alignment?.lostPackets == 0, "all that was missing came late")
    let reader = try SoundFileReader(
      try #require(track.file), in: TakeFolder(existing: row.folder, in: service.folder))
    let samples = try reader.read(frames: Int(clamping: reader.frameCount))
    #expect(!samples.isEmpty && samples.allSatisfy { abs($0) < 1e-3 })
    await service.end()
  }

  @Test func aStopWaitsForThemNoLongerThanForOthers() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let watcher = try await watch(room, of: service)
    let musician = LossyMusician(loop: service.clients)
    let ada = try await service.musician("ada", in: "studio")
    let performance = try TestSignal(seed: 4, seconds: 1).performance()
    let removal = try await leaveWithHoles(
      service, room: room, watcher: watcher, musician: musician, performance: performance)
    guard case .take(let take, _) = try await ada.membership.perform(.stopTake) else {
      throw ClientPeer.Failure(description: "no take")
    }
    #expect(await service.finishedTake(ada.membership.events) == take)
    try await removal.value
    #expect(try await service.index.take(take)?.state == .ready)
    await musician.vanish()
    await ada.peer.close()
    await service.end()
  }

  @Test func theServiceEndsWithoutThem() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let watcher = try await watch(room, of: service)
    let musician = LossyMusician(loop: service.clients)
    let performance = try TestSignal(seed: 4, seconds: 1).performance()
    let removal = try await leaveWithHoles(
      service, room: room, watcher: watcher, musician: musician, performance: performance)
    await service.broker.drain()
    try await removal.value
    let takes = try await service.index.takes(TakeQuery()).items
    #expect(takes.map(\.state) == [.ready])
    await musician.vanish()
    await service.end()
  }
}
