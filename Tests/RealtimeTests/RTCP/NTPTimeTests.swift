import TestSupport
import Testing

@testable import Realtime

@Suite struct NTPTimeTests {
  @Test func convertsToNanosecondsAndBackExactly() {
    var random = SeededRandom(3)
    for _ in 0..<500 {
      let nanoseconds = Int64.random(in: 0..<4_294_967_295_000_000_000, using: &random)
      #expect(NTPTime(nanoseconds: nanoseconds).nanoseconds == nanoseconds)
    }
    #expect(NTPTime(nanoseconds: 500_000_000).bits == 0x8000_0000)
    #expect(NTPTime(nanoseconds: 999_999_999).fraction < UInt32.max)
  }

  @Test func knowsTheUnixEpoch() {
    #expect(NTPTime(unixNanoseconds: 0) == NTPTime(seconds: 2_208_988_800, fraction: 0))
    #expect(NTPTime(unixNanoseconds: 1_700_000_000_250_000_000).unixNanoseconds == 1_700_000_000_250_000_000)
    #expect(NTPTime(unixNanoseconds: -1).unixNanoseconds == -1)
  }

  @Test func countsOnInTheEraThatBeginsIn2036() {
    // 2036-02-07 06:28:16 UTC, where the 32-bit seconds wrap.
    let wrap: Int64 = 2_085_978_496_000_000_000
    #expect(NTPTime(unixNanoseconds: wrap).bits == 0)
    #expect(NTPTime(unixNanoseconds: wrap + 1_000_000_007).unixNanoseconds == wrap + 1_000_000_007)
    let before = NTPTime(unixNanoseconds: wrap - 5)
    #expect(NTPTime(unixNanoseconds: wrap + 7).nanoseconds(since: before) == 12)
    #expect(before.nanoseconds(since: NTPTime(unixNanoseconds: wrap + 7)) == -12)
  }

  @Test func givesTheMiddleBitsOfReports() {
    // The example of RFC 3550 §6.4.1: 0xb44db705:20000000 has the middle 0xb705:2000.
    #expect(NTPTime(bits: 0xB44D_B705_2000_0000).middle == 0xB705_2000)
  }

  @Test func takesAnyNumberWithoutATrap() {
    for nanoseconds in [Int64.min, -1, 0, .max] {
      _ = NTPTime(nanoseconds: nanoseconds).nanoseconds
      _ = NTPTime(unixNanoseconds: nanoseconds).unixNanoseconds
    }
    _ = NTPTime(bits: .max).nanoseconds(since: NTPTime(bits: 0))
    #expect(NTPTime(bits: .max).nanoseconds == 4_294_967_296_000_000_000)
  }
}
