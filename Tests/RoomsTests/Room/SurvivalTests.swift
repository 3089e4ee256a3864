import Catalog
import Foundation
import Glibc
import Machines
import Music
import Realtime
import Recording
import Signaling
import Testing

@testable import Rooms

@Suite(.serialized, .timeLimit(.minutes(2))) struct SurvivalTests {
  /// Plays until so much of the take is on the disk.
  private func playUntilJournaled(
    _ seconds: Double, _ player: (membership: Membership, peer: ClientPeer)
  ) async throws -> TakeID {
    let performance = try TestSignal(seed: 11, seconds: 6).performance()
    let playing = Task { await player.peer.play(performance, from: MonotonicClock.now) }
    for await event in player.membership.events {
      if case .journaled(let take, let position) = event, position.seconds >= seconds { return take }
    }
    await playing.value
    throw ClientPeer.Failure(description: "the take ended before so much was on the disk")
  }

  @Test func diskSpaceIsSetAsideWhileATakeRollsAndGivenBackAfterIt() async throws {
    let service = try await LiveService()
    let ada = try await service.musician("ada", in: "studio")
    let id = try await playUntilJournaled(1, ada)
    let journal = "\(service.folder)/\(try #require(try await service.index.take(id)).folder)/\(TakeFolder.journalName)"
    var status = stat()
    #expect(stat(journal, &status) == 0)
    #expect(Int(status.st_blocks) * 512 > 32 << 20)
    await service.broker.drain()
    #expect(stat(journal, &status) == 0)
    #expect(Int(status.st_blocks) * 512 < 1 << 20)
    await service.end()
  }

  @Test func stoppingTheServiceCompletesTheTakeThatRolls() async throws {
    let service = try await LiveService()
    let ada = try await service.musician("ada", in: "studio")
    let id = try await playUntilJournaled(1, ada)
    await service.broker.drain()
    let take = try #require(try await service.index.take(id))
    #expect(take.state == .ready)
    #expect(try #require(take.length).seconds >= 1)
    let folder = try TakeFolder(existing: take.folder, in: service.folder)
    #expect(folder.has(TakeFolder.manifestName))
    #expect(folder.has("mix.flac"))
    await service.end()
  }

  @Test func aTakeThatAProcessLeftIsCompletedAtTheNextStart() async throws {
    let former = try await LiveService()
    let ada = try await former.musician("ada", in: "studio")
    let id = try await playUntilJournaled(2, ada)
    let path = try #require(try await former.index.take(id)).folder
    // What a SIGKILL would leave at this moment, in a data folder of its own: the journal with a torn tail, no index.
    let left = former.folder + "-left"
    try FileManager.default.createDirectory(atPath: left + "/" + path, withIntermediateDirectories: true)
    let journal = path + "/" + TakeFolder.journalName
    var bytes = try Data(contentsOf: URL(filePath: former.folder + "/" + journal))
    bytes.append(contentsOf: [0x40, 0x01, 0x00, 0x00, 1, 2, 3])
    try bytes.write(to: URL(filePath: left + "/" + journal))
    await former.end()

    let next = try await LiveService(folder: left)
    var take: Take?
    for _ in 0..<10_000 where take?.state != .incomplete {
      take = try await next.index.take(id)
      await Task.yield()
    }
    #expect(take?.state == .incomplete)
    #expect(try #require(take?.length).seconds >= 2)
    let manifest = try Manifest(of: TakeFolder(existing: path, in: left))
    #expect(manifest.notes.contains { $0.contains("recovered") })
    #expect(manifest.tracks.first?.participant.name.description == "ada")
    await next.end()
  }

  @Test func aRoomWithoutAudioLeavesNoTake() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let ada = try await service.musician("ada", in: "studio")
    guard case .take(let id, _) = try await ada.membership.perform(.startTake(song: nil)) else { return }
    let take = try #require(try await service.index.take(id))
    _ = try await ada.membership.perform(.stopTake)
    while try await service.index.take(id) != nil { await Task.yield() }
    #expect(throws: FileProblem.self) { try TakeFolder(existing: take.folder, in: service.folder) }
    await ada.peer.close()
    await service.end()
  }

  @Test func manualRoomsRecordOnlyByCommand() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let ada = try await service.musician("ada", in: "studio")
    let performance = try TestSignal(seed: 2, seconds: 1).performance()
    await ada.peer.play(performance, from: MonotonicClock.now)
    #expect(try await service.index.takes(TakeQuery()).items.isEmpty)
    let refused = await #expect(throws: RoomRefusal.self) { try await ada.membership.perform(.stopTake) }
    #expect(refused?.code == .noTake)
    await ada.peer.close()
    await service.end()
  }
}
