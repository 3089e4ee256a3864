import Catalog
import Library
import Machines
import Music
import Recording
import Signaling
import Testing

@testable import Rooms

/// What a client says of its clock is in the journal of its takes.
@Suite(.timeLimit(.minutes(1))) struct ClockReadingsTests {
  /// The client's clock, a little fast.
  private func clientTime(at time: MonotonicTime) -> Int64 { 1_796_000_000_000_000_000 + time.nanoseconds }

  private func report(of time: MonotonicTime) -> ClientReport {
    ClientReport(clientTime: clientTime(at: time), serverTime: time, roundTrip: 2_000_000)
  }

  @Test func readingsOfBeforeATrackAndWithinItAreJournaledAndThoseOfNobodysClockAreNot() async throws {
    let service = try await LiveService()
    let ada = try await service.musician("ada", in: "studio")
    let before = MonotonicClock.now
    #expect(try await ada.membership.perform(.report(report(of: before))) == .done)
    await ada.peer.play(try TestSignal(seed: 6, seconds: 1).performance(), from: MonotonicClock.now)
    for await event in ada.membership.events { if case .takeStarted = event { break } }
    // A clock without ours, one of the future, and one that was read long ago.
    for time in [nil, MonotonicClock.now + .seconds(5), before - .seconds(60)] {
      let strange = ClientReport(clientTime: 7, serverTime: time, roundTrip: 2_000_000)
      #expect(try await ada.membership.perform(.report(strange)) == .done)
    }
    let within = MonotonicClock.now
    #expect(try await ada.membership.perform(.report(report(of: within))) == .done)
    guard case .take(let id, _) = try await ada.membership.perform(.stopTake) else {
      throw ClientPeer.Failure(description: "no take")
    }
    #expect(await service.finishedTake(ada.membership.events) == id)
    let take = try #require(try await service.index.take(id))
    var reader = JournalReader()
    reader.feed(try TakeFolder(existing: take.folder, in: service.folder).read(TakeFolder.journalName))
    var (times, opened): ([MonotonicTime], MonotonicTime?) = ([], nil)
    let read = [before, within]
    while let frame = try reader.next() {
      if case .trackOpened(_, _, let time) = frame { opened = time }
      guard case .clockSample(1, let arrival, let senderTime, let roundTrip) = frame else { continue }
      times.append(arrival)
      // By what the clocks may have diverged since, the reading is less certain.
      guard times.count <= read.count else { break }
      let age = (arrival - read[times.count - 1]).nanoseconds
      #expect(roundTrip == .nanoseconds(2_000_000 + 2 * (age / 10_000)))
      // Half a round trip before the arrival, whenever the report came.
      #expect(senderTime == clientTime(at: arrival) - roundTrip.nanoseconds / 2)
    }
    #expect(times.count == 2)
    let beginning = try #require(opened)
    #expect(times.first.map { $0 < beginning } == true && times.last.map { $0 > beginning } == true)
    await ada.peer.close()
    await service.end()
  }
}
