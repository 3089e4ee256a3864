import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(1))) struct CallPlacesTests {
  /// Those who are in.
  private final class Census: Sendable {
    private struct Counts {
      var now = 0
      var most = 0
      var all = 0
    }

    private let counts = Mutex(Counts())

    var now: Int { counts.withLock { $0.now } }
    var most: Int { counts.withLock { $0.most } }
    var all: Int { counts.withLock { $0.all } }

    func enter() {
      counts.withLock { counts in
        counts.now += 1
        counts.all += 1
        counts.most = max(counts.most, counts.now)
      }
    }

    func leave() { counts.withLock { $0.now -= 1 } }
  }

  @Test func noMoreAreInThanThereArePlacesAndEveryoneGetsOne() async throws {
    let places = CallPlaces(2)
    let (doors, opening) = AsyncStream.makeStream(of: Void.self)
    let census = Census()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<5 {
        group.addTask {
          try await places.use {
            census.enter()
            for await _ in doors { break }
            census.leave()
          }
        }
      }
      try await eventually("three wait") { places.waiting == 3 }
      try await eventually("two are in") { census.now == 2 }
      opening.finish()
      try await group.waitForAll()
    }
    #expect(census.now == 0 && census.most == 2 && census.all == 5)
  }

  @Test func whoIsCancelledWhileWaitingTakesNoPlace() async throws {
    let places = CallPlaces(1)
    let (doors, opening) = AsyncStream.makeStream(of: Void.self)
    let (entries, entered) = AsyncStream.makeStream(of: Void.self)
    let first = Task {
      try await places.use {
        entered.yield()
        for await _ in doors { break }
      }
    }
    _ = await entries.first { _ in true }
    let second = Task { try await places.use {} }
    try await eventually("the second waits") { places.waiting == 1 }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    opening.finish()
    try await first.value
    #expect(places.waiting == 0)
    // The place is free again.
    #expect(try await places.use { 7 } == 7)
  }

  @Test func whoIsCancelledBeforeAskingIsNotLetIn() async throws {
    let places = CallPlaces(1)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await places.use { 1 }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await places.use { 2 } == 2)
  }
}
