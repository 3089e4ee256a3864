import Catalog
import Foundation
import Library
import Machines
import Music
import Recording
import Signaling
import Testing

@testable import Realtime
@testable import Rooms

/// A backing track in a room: everybody is told one time, and the take's manifest has it to the sample.
@Suite(.serialized, .timeLimit(.minutes(3))) struct BackingInARoomTests {
  private func backing(_ room: RoomName) -> Backing {
    Backing(
      id: BackingID(at: MonotonicClock.wall), room: room, title: "drums", length: SamplePosition(480_000_000),
      addedAt: MonotonicClock.wall)
  }

  private func manifest(of take: TakeID, in service: LiveService) async throws -> (Manifest, zero: MonotonicTime) {
    let row = try #require(try await service.index.take(take))
    let folder = try TakeFolder(existing: row.folder, in: service.folder)
    var journal = try JournalFollower(folder: folder)
    _ = try journal.next(isComplete: true)
    return (try Manifest(of: folder), try #require(journal.header).zero)
  }

  /// The sample of a take at an instant.
  private func sample(_ time: MonotonicTime, after zero: MonotonicTime) -> Int64 {
    Int64(((time - zero).seconds * 48_000).rounded())
  }

  @Test func theManifestHasItWhereEverybodyHeardItAndASplitCarriesItOn() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let ada = try await service.musician("ada", in: "studio")
    let once = try TestSignal(seed: 7, seconds: 1).performance()
    let performance = Performance(packets: once.packets, packetLength: 960, repeats: true)
    let playing = Task { await ada.peer.play(performance, from: MonotonicClock.now) }
    for await event in ada.membership.events { if case .takeStarted = event { break } }

    let track = backing(room)
    let play = try await service.broker.play(track, from: SamplePosition(96_000), in: room)
    #expect(play.at > MonotonicClock.now)
    for await event in ada.membership.events {
      guard case .backing(let told) = event else { continue }
      #expect(told == play)
      break
    }
    // Heard by whoever comes later, too.
    let guest = try await service.broker.enter(
      room, JoinRequest(name: try DisplayName(checking: "guest"), role: .listener))
    #expect(guest.snapshot.backing == play)
    while MonotonicClock.now < play.at + .milliseconds(300) { await Deadline.pause(.milliseconds(20)) }

    guard case .take(let second, _) = try await ada.membership.perform(.splitTake(song: nil)) else {
      throw ClientPeer.Failure(description: "no take")
    }
    await service.broker.stopBacking(in: room)
    for await event in ada.membership.events { if case .backing(nil) = event { break } }
    _ = try await ada.membership.perform(.stopTake)
    var finished: Set<TakeID> = []
    for await event in ada.membership.events {
      if case .takeFinished(let take, _) = event { finished.insert(take) }
      if finished.count == 2 { break }
    }
    await ada.peer.close()
    await playing.value

    let first = try #require(finished.first { $0 != second })
    let (before, zero) = try await manifest(of: first, in: service)
    let heard = try #require(before.backings?.first)
    #expect(before.backings?.count == 1 && heard.backing == track.id && heard.title == "drums")
    #expect(abs(heard.start.samples - sample(play.at, after: zero)) <= 1 && heard.from == SamplePosition(96_000))
    let length = try #require(before.take.length)
    #expect(heard.start.samples + heard.length.samples == length.samples)

    // The next take begins in the middle of it.
    let (after, next) = try await manifest(of: second, in: service)
    let rest = try #require(after.backings?.first)
    let place = 96_000 + sample(next, after: play.at)
    #expect(rest.start == .zero && abs(rest.from.samples - place) <= 1)
    // It was stopped before the take was.
    #expect(rest.length < (after.take.length ?? .zero) || after.take.length == nil)
    await service.end()
  }

  @Test func nobodyHearsItInAnEmptyRoomAndASessionsEndEndsIt() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    await #expect(throws: RoomRefusal.self) { try await service.broker.play(backing(room), from: .zero, in: room) }
    let ada = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "ada")))
    let bob = try await service.broker.enter(
      room, JoinRequest(name: try DisplayName(checking: "bob"), role: .listener))
    _ = try await service.broker.play(backing(room), from: .zero, in: room)
    #expect(await service.broker.backing(in: room) != nil)
    _ = try await ada.perform(.leave)
    #expect(await service.broker.backing(in: room) == nil)
    // Who still listens is told.
    var told: [BackingPlay?] = []
    for await event in bob.events {
      guard case .backing(let play) = event else { continue }
      told.append(play)
      if told.count == 2 { break }
    }
    #expect(told.map { $0 == nil } == [false, true])
    _ = try await bob.perform(.leave)
    await service.end()
  }
}
