import Music
import Testing

@testable import Server

struct ObjectCacheTests {
  private let takes = (1...3).map { TakeID(at: WallTime(milliseconds: Int64($0))) }

  private func cache() -> ObjectCache {
    var cache = ObjectCache()
    for (index, take) in takes.enumerated() {
      cache.enter(take, bytes: 100, at: WallTime(milliseconds: Int64(index) * 1_000))
    }
    return cache
  }

  @Test func theLeastRecentlyReadLeavesFirstAndOnlyUntilThereIsRoom() {
    var cache = cache()
    cache.touch(takes[0], at: WallTime(milliseconds: 9_000))
    let first = cache.leaver(beyond: 250)
    #expect(first == takes[1])
    cache.left(takes[1])
    #expect(cache.bytes == 200)
    let second = cache.leaver(beyond: 250)
    #expect(second == nil)
    let third = cache.leaver(beyond: 0)
    #expect(third == takes[2])
  }

  @Test func aTakeInUseStaysUntilTheLastUserIsDone() {
    var cache = cache()
    let isHeldOnce = cache.hold(takes[0])
    #expect(isHeldOnce)
    let isHeldTwice = cache.hold(takes[0])
    #expect(isHeldTwice)
    let first = cache.leaver(beyond: 250)
    #expect(first == takes[1])
    cache.left(takes[1])
    cache.release(takes[0])
    let second = cache.leaver(beyond: 150)
    #expect(second == takes[2])
    cache.left(takes[2])
    let third = cache.leaver(beyond: 50)
    #expect(third == nil)
    cache.release(takes[0])
    let fourth = cache.leaver(beyond: 50)
    #expect(fourth == takes[0])
  }

  @Test func aTakeThatIsLeavingIsNotHeld() {
    var cache = cache()
    let leaver = cache.leaver(beyond: 250)
    #expect(leaver == takes[0])
    let isHeld = cache.hold(takes[0])
    #expect(!isHeld)
    cache.left(takes[0])
    let isHeldLater = cache.hold(takes[0])
    #expect(isHeldLater)
  }

  @Test func pausesDoubleUpToFiveMinutes() throws {
    let address = try ObjectAddress(parsing: "s3://band")
    let configuration = ObjectsConfiguration(
      address: address, credentials: try ObjectCredentials(identifier: "a", secret: "b"))
    let pauses = [1, 2, 3, 50].map { configuration.pause(after: $0, chance: 0.5) }
    #expect(pauses == [1, 2, 4, 300])
  }
}
