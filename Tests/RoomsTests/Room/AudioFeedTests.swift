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
    let begin = MonotonicClock.wall.nanoseconds - (MonotonicClock.now - start).nanoseconds
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
    let wait = max(0, (begin - row.startedAt.nanoseconds) / 1_000 * 48 / 1_000)
    let match = try #require(
      CrossCorrelation.align(Array(recorded.dropFirst(Int(wait))), to: signal.left, maximumLag: 96_000))
    #expect(match.coefficient > 0.9)
    let gone = await #expect(throws: RoomRefusal.self) {
      try await feed.send([.init(opus: [0], timestamp: 0, arrival: MonotonicClock.now)])
    }
    #expect(gone?.code == .unknownPeer)
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
