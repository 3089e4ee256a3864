import Machines
import Testing

@testable import Rooms

struct BacklogTests {
  /// Otherwise a flood at one socket would keep the browser from ever finding another.
  @Test func nothingWaitsLongForASocketThatIsNeverEmpty() {
    var backlog = Backlog()
    /// At `now` milliseconds, with a datagram that has waited for `wait` of them.
    func mustBeRead(_ now: Int64, after wait: Int64?) -> Bool {
      let civil = 1_000_000_000_000 + now * 1_000_000
      return backlog.mustBeRead(
        from: wait.map { civil - $0 * 1_000_000 } ?? 0,
        at: .init(monotonic: MonotonicTime(nanoseconds: now * 1_000_000), civil: civil))
    }
    #expect(!mustBeRead(0, after: nil) && !mustBeRead(1, after: 15))
    #expect(mustBeRead(2, after: 25) && mustBeRead(1_001, after: 25))
    #expect(!mustBeRead(1_002, after: 25) && !mustBeRead(5_000, after: 3_000))
    #expect(!mustBeRead(5_001, after: 0))
    #expect(mustBeRead(5_002, after: 25), "a standstill later on")
  }
}
