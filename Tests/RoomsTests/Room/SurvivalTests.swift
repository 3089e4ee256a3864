import CLinux
import Catalog
import Foundation
import Glibc
import Machines
import Music
import Realtime
import Recording
import Signaling
import TestSupport
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

  /// What a SIGKILL would leave of a take at this moment, in a data folder of its own: its journal, with a torn tail.
  private func leave(_ path: String, of service: LiveService, tail: [UInt8] = []) throws -> String {
    let left = service.folder + "-left"
    try FileManager.default.createDirectory(atPath: left + "/" + path, withIntermediateDirectories: true)
    let journal = path + "/" + TakeFolder.journalName
    let bytes = try Data(contentsOf: URL(filePath: service.folder + "/" + journal)) + tail
    try bytes.write(to: URL(filePath: left + "/" + journal))
    return left
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
    // Without an index.
    let left = try leave(path, of: former, tail: [0x40, 0x01, 0x00, 0x00, 1, 2, 3])
    await former.end()

    let next = try await LiveService(folder: left)
    await next.hears(.takeIncomplete, of: id)
    let take = try #require(try await next.index.take(id))
    #expect(take.state == .incomplete)
    #expect(try #require(take.length).seconds >= 2)
    let manifest = try Manifest(of: TakeFolder(existing: path, in: left))
    #expect(manifest.notes.contains { $0.contains("recovered") })
    #expect(manifest.tracks.first?.participant.name.description == "ada")
    await next.end()
  }

  /// The render process of the former service still has the take as this one is stopped, soon after its start.
  @Test func aStopDuringTheRecoveryLeavesTheTakeToTheNextStart() async throws {
    let former = try await LiveService()
    let ada = try await former.musician("ada", in: "studio")
    let id = try await playUntilJournaled(1, ada)
    let path = try #require(try await former.index.take(id)).folder
    let left = try leave(path, of: former)
    try FileManager.default.copyItem(atPath: former.folder + "/jamjar.sqlite", toPath: left + "/jamjar.sqlite")
    try? FileManager.default.copyItem(atPath: former.folder + "/jamjar.sqlite-wal", toPath: left + "/jamjar.sqlite-wal")
    await former.end()

    let (lines, log) = AsyncStream<String>.makeStream()
    let keeper = try #require(try JournalLock(in: TakeFolder(existing: path, in: left)))
    let stopped = try await LiveService(folder: left, log: OverheardLog(lines: log))
    await stopped.end(keepsFolder: true)
    log.finish()
    for await line in lines { Issue.record("nothing went wrong: \(line)") }
    let index = try SQLiteCatalog.open(at: left + "/jamjar.sqlite", now: MonotonicClock.wall)
    #expect(try await index.take(id)?.state == .captured)
    try index.close()
    withExtendedLifetime(keeper) {}
  }

  @Test func aTakeWhoseFolderIsDeletedWhileItRollsIsWhole() async throws {
    let service = try await LiveService()
    let watcher = try await service.broker.enter(
      try RoomName(checking: "studio"), JoinRequest(name: try DisplayName(checking: "watcher"), role: .listener))
    let ada = try await service.musician("ada", in: "studio")
    let performance = try TestSignal(seed: 12, seconds: 4).performance()
    let playing = Task { await ada.peer.play(performance, from: MonotonicClock.now) }
    var (isDeleted, isRescued) = (false, false)
    for await event in watcher.events {
      if case .journaled(let id, let position) = event, position.seconds >= 1, !isDeleted {
        let path = try #require(try await service.index.take(id)).folder
        try FileManager.default.removeItem(atPath: service.folder + "/" + path)
        isDeleted = true
      }
      if case .warning(.recordingRecovered, _, _) = event { isRescued = true }
      if isRescued { break }
    }
    #expect(isRescued)
    await playing.value
    await ada.peer.close()
    await ada.membership.leave()
    let id = try #require(await service.finishedTake(watcher.events))
    let take = try #require(try await service.index.take(id))
    #expect(take.state == .ready)
    #expect(try #require(take.length).seconds > 3.9)
    let track = try #require(try await service.index.tracks(of: id).first)
    #expect(track.gaps == [])
    #expect(track.alignment?.lostPackets == 0)
    #expect(try TakeFolder(existing: take.folder, in: service.folder).has("mix.flac"))
    await service.end()
  }

  /// A data folder with the journals of takes that a process left, of the bytes that `change` makes of a real one.
  private func left(
    _ count: Int, _ change: (Int, inout Data) -> Void = { _, _ in }
  ) async throws -> (folder: String, paths: [String]) {
    let former = try await LiveService()
    let ada = try await former.musician("ada", in: "studio")
    let id = try await playUntilJournaled(2, ada)
    let path = try #require(try await former.index.take(id)).folder
    let bytes = try Data(contentsOf: URL(filePath: "\(former.folder)/\(path)/\(TakeFolder.journalName)"))
    await former.end()
    let left = former.folder + "-left"
    var paths: [String] = []
    for index in 0..<count {
      let place = index == 0 ? path : "\(path)-copy\(index)"
      try FileManager.default.createDirectory(atPath: "\(left)/\(place)", withIntermediateDirectories: true)
      var copy = bytes
      change(index, &copy)
      try copy.write(to: URL(filePath: "\(left)/\(place)/\(TakeFolder.journalName)"))
      paths.append(place)
    }
    return (left, paths)
  }

  @Test func aTakeWhoseHeaderIsDestroyedIsCompletedAtTheNextStart() async throws {
    let (folder, paths) = try await left(1) { _, bytes in bytes.replaceSubrange(0..<40, with: Data(count: 40)) }
    let next = try await LiveService(folder: folder)
    let finished = try await next.finishedFolder(paths)
    let manifest = try Manifest(of: TakeFolder(existing: finished, in: folder))
    #expect(manifest.tracks.first?.participant.name.description == "ada")
    #expect(manifest.tracks.first?.gaps == [])
    #expect(try #require(manifest.take.length).seconds >= 2)
    #expect(manifest.notes.contains { $0.contains("could not be read") })
    await next.end()
  }

  /// Enters a take that rolled when its process died into the index of a data folder.
  private func rollingTake(in folder: String, at path: String) async throws -> Take {
    let index = try SQLiteCatalog.open(at: folder + "/jamjar.sqlite", now: MonotonicClock.wall)
    defer { try? index.close() }
    let session = Session(
      id: SessionID(at: MonotonicClock.wall), room: try RoomName(checking: "studio"), startedAt: MonotonicClock.wall)
    try await index.open(session)
    return try await index.create(
      Take(
        id: TakeID(at: MonotonicClock.wall), number: 1, state: .rolling, room: session.room, session: session.id,
        startedAt: MonotonicClock.wall, folder: ""), songTitle: nil, folder: { _ in path })
  }

  /// How far a process came with a take before it died.
  enum Beginning: CaseIterable { case emptyFile, halfOfTheHeader, headerAndHalfAFrame }

  /// The bytes of a journal's header.
  private func header(of journal: Data) -> Int {
    var (reader, count) = (JournalReader(), 0)
    while reader.header == nil, count < journal.count {
      reader.feed([journal[count]])
      _ = try? reader.next()
      count += 1
    }
    return count
  }

  /// Nothing of these is lost beyond the 200 ms that a death may cost. A take that failed would stand in the list for ever,
  /// and lossless copies would wait for its tracks.
  @Test(arguments: Beginning.allCases) func aTakeOfWhichNothingWasWrittenIsNone(beginning: Beginning) async throws {
    let (folder, paths) = try await left(2) { index, bytes in
      guard index == 0 else { return }
      let header = header(of: bytes)
      switch beginning {
      case .emptyFile: bytes = Data()
      case .halfOfTheHeader: bytes = bytes.prefix(header / 2)
      case .headerAndHalfAFrame: bytes = bytes.prefix(header + 7)
      }
    }
    let rolling = try await rollingTake(in: folder, at: paths[0])
    let next = try await LiveService(folder: folder)
    _ = try await next.finishedFolder([paths[1]])
    await next.hears(.takeDiscarded, of: rolling.id)
    #expect(try await next.index.take(rolling.id) == nil)
    #expect(try await next.index.session(rolling.session) == nil)
    #expect(throws: FileProblem.self) { try TakeFolder(existing: paths[0], in: folder) }
    await next.end()
  }

  /// A take whose packets cannot be found among damage is not taken for an empty one.
  @Test func aTakeOfWhichOnlyTheHeaderCanBeReadIsKept() async throws {
    let (folder, paths) = try await left(1) { _, bytes in
      bytes.replaceSubrange(header(of: bytes)..., with: Data(repeating: 7, count: 9_000))
    }
    let next = try await LiveService(folder: folder)
    let finished = try await next.finishedFolder(paths)
    #expect(try TakeFolder(existing: finished, in: folder).has(TakeFolder.journalName))
    await next.end()
  }

  /// One journal that nobody can read is beside others: these are completed, and that one is not said to roll.
  @Test func aJournalThatCannotBeReadIsSaidToHaveFailed() async throws {
    let (folder, paths) = try await left(2) { index, bytes in
      if index == 0 { bytes = Data("nothing of a journal".utf8) }
    }
    let rolling = try await rollingTake(in: folder, at: paths[0])
    let next = try await LiveService(folder: folder)
    _ = try await next.finishedFolder([paths[1]])
    await next.hears(.takeFailed, of: rolling.id)
    #expect(try await next.index.take(rolling.id)?.state == .failed)
    #expect(try TakeFolder(existing: paths[0], in: folder).has(TakeFolder.journalName))
    await next.end()
  }

  @Test func aRoomWithoutAudioLeavesNoTake() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let ada = try await service.musician("ada", in: "studio")
    let reply = try await ada.membership.perform(.startTake(song: nil))
    guard case .take(let id, _) = reply else {
      Issue.record("no take but \(reply)")
      return
    }
    let take = try #require(try await service.index.take(id))
    _ = try await ada.membership.perform(.stopTake)
    try await eventually("the index has forgotten the take") { try await service.index.take(id) == nil }
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
