import Catalog
import Library
import Machines
import Music
import Recording
import Signaling
import Testing

@testable import Rooms

/// What the service measures of a musician's path is in the journal of their takes.
@Suite(.timeLimit(.minutes(1))) struct PathChecksInATakeTests {
  private typealias Check = (arrival: MonotonicTime, trip: MonotonicTime.Span)

  private func checks(in take: TakeID, of service: LiveService) async throws -> (all: [Check], opened: MonotonicTime) {
    let take = try #require(try await service.index.take(take))
    var reader = JournalReader()
    reader.feed(try TakeFolder(existing: take.folder, in: service.folder).read(TakeFolder.journalName))
    var (checks, opened): ([Check], MonotonicTime?) = ([], nil)
    while let frame = try reader.next() {
      if case .trackOpened(1, _, let time) = frame { opened = time }
      if case .checkTrip(1, let arrival, let trip) = frame { checks.append((arrival, trip)) }
    }
    return (checks, try #require(opened))
  }

  @Test func aTakeHasTheChecksOfBeforeAndThoseWithinIt() async throws {
    let service = try await LiveService()
    let ada = try await service.musician("ada", in: "studio")
    let performance = try TestSignal(seed: 7, seconds: 4).performance()
    async let played: Void = ada.peer.play(performance, from: MonotonicClock.now)
    for await event in ada.membership.events { if case .takeStarted = event { break } }
    guard case .take(let first, _) = try await ada.membership.perform(.stopTake),
      case .take(let second, _) = try await ada.membership.perform(.startTake(song: nil))
    else { throw ClientPeer.Failure(description: "no take") }
    await played
    _ = try await ada.membership.perform(.stopTake)
    for _ in 0..<2 { #expect(await service.finishedTake(ada.membership.events) != nil) }
    for take in [first, second] {
      let (checks, opened) = try await checks(in: take, of: service)
      #expect(checks.allSatisfy { $0.trip > .zero && $0.trip < .seconds(1) }, "\(checks)")
      #expect(checks.map(\.arrival) == checks.map(\.arrival).sorted())
      if take == second {
        #expect(checks.contains { $0.arrival < opened } && checks.contains { $0.arrival > opened })
        // Twenty of the first two seconds, and one each second.
        #expect(checks.count >= 20)
      }
    }
    await ada.peer.close()
    await service.end()
  }
}
