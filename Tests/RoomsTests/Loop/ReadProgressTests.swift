import Machines
import Testing

@testable import Rooms

@Suite struct ReadProgressTests {
  private func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

  @Test func emptySocketsAreReadUpToTheBeginningOfTheTurn() {
    var progress = ReadProgress(at: time(0))
    progress.turn(began: time(100), behind: nil, at: time(150))
    #expect(progress.through == time(100))
  }

  /// After a standstill of five seconds, deadlines are served between the turns that read what came meanwhile.
  @Test func aBacklogIsReadUpToItsLastDatagram() {
    var progress = ReadProgress(at: time(0))
    for datagram in 0..<250 {
      let began = time(5_000 + Int64(datagram))
      progress.turn(began: began, behind: time(Int64(datagram) * 20), at: began + .milliseconds(1))
      #expect(progress.through == time(Int64(datagram) * 20))
    }
    progress.turn(began: time(5_260), behind: nil, at: time(5_261))
    #expect(progress.through == time(5_260))
  }

  @Test func itNeverGoesBack() {
    var progress = ReadProgress(at: time(0))
    progress.turn(began: time(100), behind: nil, at: time(101))
    progress.turn(began: time(200), behind: time(50), at: time(201))
    #expect(progress.through == time(100))
  }

  /// A flood that nobody can read up to the present would keep takes open for ever.
  @Test func aFloodIsNotWaitedForEndlessly() {
    var progress = ReadProgress(at: time(0))
    var now: Int64 = 1_000
    while progress.through < time(500), now < 10_000 {
      progress.turn(began: time(now), behind: time(now / 100), at: time(now + 10))
      now += 10
    }
    #expect(abs(now - 3_000) <= 20, "two seconds of work: \(now)")
  }

  /// The machine stands still a second time, while what came during the first is still being read.
  @Test func anotherStandstillIsNoEffort() {
    var progress = ReadProgress(at: time(0))
    progress.turn(began: time(5_000), behind: time(20), at: time(5_001))
    progress.turn(began: time(5_001), behind: time(40), at: time(12_000))
    #expect(progress.through == time(40))
    progress.turn(began: time(12_000), behind: time(60), at: time(12_001))
    #expect(progress.through == time(60))
  }

  /// Datagrams that arrive while others are processed are nothing unusual, however long that goes on.
  @Test func aBusyLoopIsNotBehind() {
    var progress = ReadProgress(at: time(0))
    for turn in 1...1_000 as ClosedRange<Int64> {
      progress.turn(began: time(turn * 10), behind: time(turn * 10 - 5), at: time(turn * 10 + 10))
      #expect(progress.through == time(turn * 10 - 5))
    }
  }
}
