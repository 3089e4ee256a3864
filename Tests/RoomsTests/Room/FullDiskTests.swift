import Catalog
import Foundation
import Machines
import Music
import Recording
import Signaling
import Testing

@testable import Rooms

/// A disk that is full while a take rolls; needs the right to mount one.
@Suite(.serialized, .enabled(if: SmallDisk.isPossible), .timeLimit(.minutes(2))) struct FullDiskTests {
  private struct Scene {
    let disk: SmallDisk
    let service: LiveService
    let musician: (membership: Membership, peer: ClientPeer)
    let watcher: Membership
    let playing: Task<Void, Never>

    init(on disk: SmallDisk, seconds: Double) async throws {
      self.disk = disk
      service = try await LiveService(folder: disk.path)
      let room = try RoomName(checking: "studio")
      watcher = try await service.broker.enter(
        room, JoinRequest(name: try DisplayName(checking: "watcher"), role: .listener))
      musician = try await service.musician("ada", in: "studio")
      let (peer, performance) = (musician.peer, try TestSignal(seed: 4, seconds: seconds).performance())
      playing = Task { await peer.play(performance, from: MonotonicClock.now) }
    }

    /// Waits for an event of the room.
    func wait(for matches: (RoomEvent) -> Bool) async throws {
      for await event in watcher.events where matches(event) { return }
      Issue.record("the room was closed before the event came")
    }

    func playOutAndLeave() async {
      await playing.value
      await musician.peer.close()
      await musician.membership.leave()
    }

    func finishedTake() async throws -> Take {
      var finished: TakeID?
      try await wait { event in
        if case .takeFinished(let take, _) = event { finished = take }
        return finished != nil
      }
      let id = try #require(finished)
      return try #require(try await service.index.take(id))
    }
  }

  private func isWarning(_ code: RoomEvent.Warning) -> (RoomEvent) -> Bool {
    { event in if case .warning(code, _, _?) = event { true } else { false } }
  }

  private func isJournaled(_ seconds: Double) -> (RoomEvent) -> Bool {
    { event in if case .journaled(_, let position) = event { position.seconds >= seconds } else { false } }
  }

  @Test func theRoomIsToldAndNothingIsLostWhenThereIsRoomAgain() async throws {
    let disk = try SmallDisk(mebibytes: 6)
    // So little is left that no space can be set aside.
    try disk.fill(leaving: 1_000_000)
    let scene = try await Scene(on: disk, seconds: 6)
    try await scene.wait(for: isJournaled(1))
    try disk.fill()
    try await scene.wait(for: isWarning(.recordingDegraded))
    disk.makeRoom()
    try await scene.wait(for: isWarning(.recordingRecovered))
    await scene.playOutAndLeave()
    let take = try await scene.finishedTake()
    #expect(take.state == .ready)
    let tracks = try await scene.service.index.tracks(of: take.id)
    #expect(tracks.count == 1)
    #expect(tracks.first?.gaps == [])
    #expect(tracks.first?.alignment?.lostPackets == 0)
    #expect(try #require(take.length).seconds > 5.9)
    await scene.service.end(keepsFolder: true)
  }

  @Test func aTakeThatCannotBeRenderedForWantOfRoomIsFinishedOnceThereIsSome() async throws {
    let disk = try SmallDisk(mebibytes: 3)
    let scene = try await Scene(on: disk, seconds: 3)
    try await scene.wait(for: isJournaled(1))
    // The journal has its own MiB, which it gives back at its end; the tracks need more.
    try disk.fill()
    await scene.playOutAndLeave()
    try await scene.wait(for: isWarning(.recordingDegraded))
    disk.makeRoom()
    let take = try await scene.finishedTake()
    #expect(take.state == .ready)
    #expect(try #require(take.length).seconds > 2.9)
    #expect(lost(try await scene.service.index.tracks(of: take.id).first?.gaps) == [])
    await scene.service.end(keepsFolder: true)
  }

  /// A musician on a busy machine stamps some packets late, which are standstills of the microphone then.
  private func lost(_ gaps: [Gap]?) -> [Gap]? { gaps?.filter { $0.cause != .captureStall } }

  @Test func aTakeThatWasLeftIsFinishedOnceThereIsRoom() async throws {
    let disk = try SmallDisk(mebibytes: 12)
    let scene = try await Scene(on: disk, seconds: 3)
    try await scene.wait(for: isJournaled(2))
    let former = try #require(try await scene.service.index.takes(TakeQuery()).items.first)
    let bytes = try Data(
      contentsOf: URL(filePath: "\(disk.path)/\(former.folder)/\(TakeFolder.journalName)"))
    await scene.playOutAndLeave()
    _ = try await scene.finishedTake()
    await scene.service.end(keepsFolder: true)

    // As a SIGKILL would have left it, on a disk with room for an index and for no track.
    let left = "\(disk.path)/left"
    try FileManager.default.createDirectory(atPath: "\(left)/\(former.folder)", withIntermediateDirectories: true)
    try bytes.write(to: URL(filePath: "\(left)/\(former.folder)/\(TakeFolder.journalName)"))
    try SQLiteCatalog.open(at: left + "/jamjar.sqlite", now: MonotonicClock.wall).close()
    try disk.fill(leaving: 300_000)
    // The disk is full for a moment only: a track that found no room leaves nothing behind.
    let (lines, log) = AsyncStream.makeStream(of: String.self)
    let next = try await LiveService(folder: left, log: OverheardLog(lines: log))
    let told = await lines.first { $0.contains("waits for room on the disk") }
    #expect(told != nil)
    let folder = try TakeFolder(existing: former.folder, in: left)
    #expect(!folder.has(TakeFolder.manifestName))
    disk.makeRoom()
    _ = try await next.finishedFolder([former.folder])
    #expect(lost(try Manifest(of: folder).tracks.first?.gaps) == [])
    await next.end(keepsFolder: true)
  }
}
