import Machines
import Testing

@Suite struct SaturatingTests {
  @Test func aFractionBecomesTheNearestWholeNumberOrTheEndOfTheRange() {
    #expect(Int64(saturating: 2.5) == 3)
    #expect(Int64(saturating: -2.4) == -2)
    #expect(Int64(saturating: 1e300) == .max)
    #expect(Int64(saturating: -1e300) == .min)
    #expect(Int64(saturating: 0x1p63) == .max)
    #expect(Int64(saturating: -0x1p63) == .min)
    #expect(Int8(saturating: .infinity) == 127)
    #expect(UInt16(saturating: -1) == 0)
    #expect(Int(saturating: .nan) == 0)
  }

  @Test func spansSaturate() {
    let longest = MonotonicTime.Span(nanoseconds: .max)
    let shortest = MonotonicTime.Span(nanoseconds: .min)
    let one = MonotonicTime.Span.nanoseconds(1)
    #expect(longest + one == longest)
    #expect(shortest - one == shortest)
    #expect(one - shortest == longest)
    #expect(shortest + shortest == shortest)
    #expect(longest * 2 == longest)
    #expect(longest * -2 == shortest)
    #expect(shortest * -1 == longest)
    #expect(MonotonicTime.Span.seconds(.max) == longest)
    #expect(MonotonicTime.Span.milliseconds(.min) == shortest)
    #expect(.seconds(3) / 2 == MonotonicTime.Span.milliseconds(1_500))
    #expect(shortest / -1 == longest)
    #expect(longest / 0 == longest)
    #expect(shortest / 0 == shortest)
  }
}
