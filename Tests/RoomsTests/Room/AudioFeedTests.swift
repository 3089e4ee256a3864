import Catalog
import Foundation
import Machines
import Music
import Recording
import Signaling
import Testing

@testable import Rooms

@Suite(.timeLimit(.minutes(5))) struct AudioFeedTests {
  @Test func aFeedIsRecordedLikeAnyMusician() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let ada = try await service.broker.enter(
      try RoomName(checking: "studio"), JoinRequest(name: try DisplayName(checking: "ada")))
    let feed = try await ada.openFeed(origin: "rtmp", isStereo: true)
    let signal = TestSignal(seed: 3, seconds: 2)
    let performance = try signal.performance()
    guard case .take(let take, _) = try await ada.perform(.startTake(song: nil)) else {
      throw ClientPeer.Failure(description: "no take")
    }
    let start = try await FeedPlayer(loop: service.clients).play(performance, into: feed)
    let begin = MonotonicClock.wall - .nanoseconds((MonotonicClock.now - start).nanoseconds)
    await feed.close()
    _ = try await ada.perform(.stopTake)
    #expect(await service.finishedTake(ada.events) == take)
    let tracks = try await service.index.tracks(of: take)
    #expect(tracks.map { $0.participant.name.description } == ["ada"])
    let row = try #require(try await service.index.take(take))
    let reader = try SoundFileReader(
      try #require(tracks.first?.file), in: TakeFolder(existing: row.folder, in: service.folder))
    var recorded: [Float] = []
    while true {
      let block = try reader.read(frames: 48_000)
      if block.isEmpty { break }
      recorded += stride(from: 0, to: block.count, by: reader.channels).map { block[$0] }
    }
    // A busy machine may let any time pass between the take's beginning and the feed's.
    let wait = max(0, (begin - row.startedAt) / .seconds(1) * 48_000)
    let match = try #require(
      CrossCorrelation.align(Array(recorded.dropFirst(Int(wait))), to: signal.left, maximumLag: 96_000))
    #expect(match.coefficient > 0.9)
    let gone = await #expect(throws: RoomRefusal.self) {
      try await feed.send([.init(opus: [0], timestamp: 0, arrival: MonotonicClock.now)])
    }
    #expect(gone?.code == .unknownPeer)
    await service.end()
  }

  /// All of a performance at once, as a file comes that is pushed.
  private func pushed(_ performance: Performance) -> [AudioFeed.Packet] {
    let now = MonotonicClock.now
    return performance.packets.enumerated().map { index, opus in
      let position = Int64(index * performance.packetLength)
      return AudioFeed.Packet(
        opus: opus, timestamp: position, arrival: now, due: now + .nanoseconds(position * 1_000_000 / 48))
    }
  }

  private func sound(of track: Track?, in take: TakeID, _ service: LiveService) async throws -> [Float] {
    let row = try #require(try await service.index.take(take))
    let reader = try SoundFileReader(
      try #require(track?.file), in: TakeFolder(existing: row.folder, in: service.folder))
    let samples = try reader.read(frames: Int(clamping: reader.frameCount))
    return stride(from: 0, to: samples.count, by: reader.channels).map { samples[$0] }
  }

  @Test func aFileThatIsPushedIsRecordedWholeAndOnItsOwnTimeLine() async throws {
    let service = try await LiveService()
    let guest = try await service.broker.enter(
      try RoomName(checking: "studio"), JoinRequest(name: try DisplayName(checking: "guest"), role: .listener))
    let ada = try await service.broker.enter(
      try RoomName(checking: "studio"), JoinRequest(name: try DisplayName(checking: "ada")))
    let feed = try await ada.openFeed(origin: "rtmp", isStereo: true)
    let signal = TestSignal(seed: 5, seconds: 12)
    try await feed.send(pushed(try signal.performance()))
    await feed.close()
    await ada.leave()
    let take = try #require(await service.finishedTake(guest.events))
    let tracks = try await service.index.tracks(of: take)
    let recorded = try await sound(of: tracks.first, in: take, service)
    // Whole, and as long as it is: from the first sample to the last.
    let match = try #require(CrossCorrelation.align(recorded, to: signal.left, maximumLag: 24_000))
    #expect(match.coefficient > 0.9)
    #expect(recorded.count > 12 * 48_000)
    #expect(try #require(tracks.first).gaps.isEmpty)
    await service.end()
  }

  @Test func whoComesWhileAFileRunsAheadIsRecordedInATakeOfTheClock() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let guest = try await service.broker.enter(
      room, JoinRequest(name: try DisplayName(checking: "guest"), role: .listener))
    let ada = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "ada")))
    let file = try await ada.openFeed(origin: "rtmp", isStereo: true)
    try await file.send(pushed(try TestSignal(seed: 5, seconds: 20).performance()))
    let bob = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "bob")))
    let feed = try await bob.openFeed(origin: "rtmp", isStereo: true)
    let signal = TestSignal(seed: 6, seconds: 2)
    _ = try await FeedPlayer(loop: service.clients).play(try signal.performance(), into: feed)
    await bob.leave()
    await ada.leave()
    let first = try #require(await service.finishedTake(guest.events))
    let second = try #require(await service.finishedTake(guest.events))
    let takes = [first, second].sorted { $0.ulid < $1.ulid }
    #expect(try #require(try await service.index.take(takes[0])?.length).seconds > 20)
    let track = try await service.index.tracks(of: takes[1]).first { $0.participant.name.description == "bob" }
    let recorded = try await sound(of: track, in: takes[1], service)
    let match = try #require(CrossCorrelation.align(recorded, to: signal.left, maximumLag: 48_000))
    #expect(match.coefficient > 0.9)
    await service.end()
  }

  /// Wherever a lost connection was on the time line, the next one begins at the clock's time.
  @Test func theTracksOfAConnectionShareALineAndNotThatOfTheFormerOne() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let name = try DisplayName(checking: "ada")
    let before = try await service.broker.enter(room, JoinRequest(name: name))
    let actor = try #require(service.broker.existing(room))
    _ = try await before.openFeed(origin: "rtmp", isStereo: true)
    let again = try await service.broker.enter(room, JoinRequest(name: name, resumeSecret: before.resumeSecret))
    // Its first track, which replaces the old one, needs longer to begin.
    _ = try await again.openFeed(origin: "rtmp", isStereo: true, stem: AudioStem(number: 1, part: "drums"))
    let begun = await actor.feedLines
    #expect(begun.count == 2 && Set(begun).count == 2)
    _ = try await again.openFeed(origin: "rtmp", isStereo: true)
    let both = await actor.feedLines
    #expect(both.count == 2 && Set(both).count == 1)
    await again.leave()
    await service.end()
  }

  @Test func besideOthersAFileGoesByTheClock() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let bob = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "bob")))
    let feed = try await bob.openFeed(origin: "rtmp", isStereo: true)
    _ = try await FeedPlayer(loop: service.clients).play(try TestSignal(seed: 6, seconds: 1).performance(), into: feed)
    let ada = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "ada")))
    let file = try await ada.openFeed(origin: "rtmp", isStereo: true)
    let began = MonotonicClock.now
    try await file.send(pushed(try TestSignal(seed: 5, seconds: 3).performance()))
    // Not before its last packet is due: its encoder has to wait.
    #expect(MonotonicClock.now - began > .milliseconds(2_900))
    await service.end()
  }

  /// 21 minutes are 65,536 packets, by which 16-bit numbers come round again.
  @Test(arguments: [1, 3_000, 65_200, 65_535, 1_000_000]) func nothingIsLostBehindAPause(missing: Int) async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let room = try RoomName(checking: "studio")
    let ada = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "ada")))
    let guest = try await service.broker.enter(
      room, JoinRequest(name: try DisplayName(checking: "guest"), role: .listener))
    let feed = try await ada.openFeed(origin: "rtmp", isStereo: true)
    let tap = try await guest.openTap(to: .participant(ada.participant))
    let opus = try TestSignal(seed: 3, seconds: 1).performance().packets.prefix(20)
    var sent: [Int64] = []
    for (index, packet) in opus.enumerated() {
      let number = index < 10 ? index : index + missing
      sent.append(Int64(number) * 960)
      try await feed.send([
        AudioFeed.Packet(
          opus: packet, timestamp: Int64(number) * 960, arrival: MonotonicClock.now,
          missing: index == 10 ? missing : 0)
      ])
    }
    await guest.close(tap)
    var times: [Int64] = []
    for await packet in tap.packets { times.append(packet.timestamp) }
    #expect(times == sent)
    await service.end()
  }

  @Test func aListenerHasNothingToFeed() async throws {
    let service = try await LiveService()
    let guest = try await service.broker.enter(
      try RoomName(checking: "studio"), JoinRequest(name: try DisplayName(checking: "guest"), role: .listener))
    let refusal = await #expect(throws: RoomRefusal.self) { try await guest.openFeed(origin: "rtmp", isStereo: false) }
    #expect(refusal?.code == .forbidden)
    await service.end()
  }
}

extension RoomActor {
  /// The time lines of all feeds, one for each track.
  fileprivate var feedLines: [ObjectIdentifier] {
    members.flatMap(\.publications).compactMap { $0.feed.map { ObjectIdentifier($0.line) } }
  }
}
