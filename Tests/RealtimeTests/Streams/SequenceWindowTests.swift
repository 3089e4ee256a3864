import TestSupport
import Testing

@testable import Realtime

@Suite struct SequenceWindowTests {
  @Test func tellsTheSecondFromTheFirst() {
    var window = SequenceWindow<16>()
    #expect(window.insert(-3) == true)
    #expect(window.insert(-3) == false)
    #expect(window.insert(5) == true)
    #expect(window.insert(4) == true)
    #expect(window.insert(-4) == true)
    #expect(window.insert(4) == false)
    #expect(window.insert(5 - 1024) == false)
  }

  @Test func saysWhyANumberIsRefused() {
    var window = SequenceWindow<2>()
    #expect(window.verdict(on: 7) == .new)
    for number: Int64 in [7, 200, 199] { window.insert(number) }
    #expect(window.verdict(on: 199) == .duplicate)
    #expect(window.verdict(on: 198) == .new)
    #expect(window.verdict(on: 200 - 127) == .new)
    #expect(window.verdict(on: 200 - 128) == .tooOld)
    #expect(window.verdict(on: 201) == .new)
    #expect(window.verdict(on: 1 << 48) == .new)
  }

  @Test func goesOnBehindANumber() {
    var window = SequenceWindow<2>(after: 300)
    #expect(window.verdict(on: 300) == .duplicate)
    #expect(window.verdict(on: 173) == .duplicate)
    #expect(window.verdict(on: 172) == .tooOld)
    #expect(window.insert(302) == true)
    #expect(window.verdict(on: 301) == .new)
    #expect(SequenceWindow<2>(after: nil).verdict(on: 0) == .new)
  }

  @Test func agreesWithASetOverRandomWalks() {
    var random = SeededRandom(17)
    var window = SequenceWindow<16>()
    var seen: Set<Int64> = [0]
    var highest: Int64 = 0
    var mistakes = 0
    #expect(window.insert(0) == true)
    for _ in 0..<20_000 {
      let jump: Int64 = random.unit() < 0.001 ? 5_000 : 3
      let number = highest + Int64.random(in: -600...jump, using: &random)
      let isNew = number > highest - 1024 && seen.insert(number).inserted
      if window.insert(number) != isNew { mistakes += 1 }
      highest = max(highest, number)
    }
    #expect(mistakes == 0)
  }
}
