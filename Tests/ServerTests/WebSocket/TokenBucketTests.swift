import Machines
import Testing

@testable import Server

@Suite struct TokenBucketTests {
  private let start = MonotonicTime(nanoseconds: 1_000)

  @Test func letsABurstThroughAndThenTheRate() {
    var bucket = TokenBucket(rate: 20, burst: 100, at: start)
    #expect((0..<150).count { _ in bucket.take(at: start) } == 100)
    let later = start + .seconds(2)
    #expect((0..<150).count { _ in bucket.take(at: later) } == 40)
  }

  @Test func holdsNoMoreThanTheBurstHoweverLongItRests() {
    var bucket = TokenBucket(rate: 20, burst: 100, at: start)
    let later = start + .seconds(86_400)
    #expect((0..<500).count { _ in bucket.take(at: later) } == 100)
  }

  @Test func gainsNothingWhenTimeGoesBack() {
    var bucket = TokenBucket(rate: 20, burst: 1, at: start)
    let times = [start, MonotonicTime(nanoseconds: 0), start]
    #expect(times.map { bucket.take(at: $0) } == [true, false, false])
  }
}
