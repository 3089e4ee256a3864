import TestSupport
import Testing

@testable import Realtime

@Suite struct SequenceWindowTests {
  @Test func tellsTheSecondFromTheFirst() {
    var window = SequenceWindow()
    #expect(window.insert(-3) == true)
    #expect(window.insert(-3) == false)
    #expect(window.insert(5) == true)
    #expect(window.insert(4) == true)
    #expect(window.insert(-4) == true)
    #expect(window.insert(4) == false)
    #expect(window.insert(5 - 1024) == false)
  }

  @Test func agreesWithASetOverRandomWalks() {
    var random = SeededRandom(17)
    var window = SequenceWindow()
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
