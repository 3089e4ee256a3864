import Machines
import TestSupport
import Testing

@testable import Realtime

@Suite struct ReorderBufferTests {
  @Test func waitsForALatePacketButNotForEver() throws {
    try diagram(window: .milliseconds(60)) {
      (
        "1 . 3 4 . 2   . . 7 . . . .",
        "1 . . . . 2:4 . . . . . 5-6! 7"
      )
    }
  }

  @Test func releasesPacketsInOrderAtOnce() throws {
    try diagram(window: .milliseconds(60)) {
      (
        "5 6 7 . 8",
        "5 6 7 . 8"
      )
    }
  }

  @Test func givesEachHoleItsOwnWindow() throws {
    try diagram(window: .milliseconds(60)) {
      (
        "1 3 . 5 .    . .    .",
        "1 . . . 2! 3 . 4! 5 ."
      )
    }
  }

  @Test func releasesAllThatALatePacketCompletes() throws {
    try diagram(window: .milliseconds(100)) {
      (
        "1 4 3 6 2   . .    . .",
        "1 . . . 2:4 . . .  5! 6"
      )
    }
  }

  @Test func dropsWhatComesWhenItsTurnIsOver() throws {
    try diagram(window: .milliseconds(40)) {
      (
        "1 3 . . 2 4 1",
        "1 . . 2! 3 . 4"
      )
    }
  }

  @Test func dropsWhatComesTwice() throws {
    try diagram(window: .milliseconds(60)) {
      (
        "1 1 3 3 2",
        "1 . . . 2:3"
      )
    }
  }

  @Test func keepsTheNewestOfAGapBeyondItsCapacityOpen() throws {
    // Capacity 4: when 9 comes, 6 to 8 may still be repaired, 2 to 5 may not.
    try diagram(window: .milliseconds(60), capacity: 4) {
      (
        "1 9      7 . .",
        "1 2-5! . . . 6!,7,8!,9"
      )
    }
  }

  @Test func releasesWhatWaitedWhenTheCapacityRunsOut() throws {
    try diagram(window: .seconds(1), capacity: 4) {
      (
        "1 3 4 6 7",
        "1 . . 2! 3:4 ."
      )
    }
  }

  @Test func tellsDuplicateFromLate() {
    var buffer = ReorderBuffer<String>(window: .milliseconds(50))
    #expect(buffer.put(10, "a", at: .at(0)) == .accepted)
    #expect(buffer.put(12, "c", at: .at(1)) == .accepted)
    #expect(buffer.put(12, "c", at: .at(2)) == .duplicate)
    #expect(buffer.put(10, "a", at: .at(3)) == .late)
    #expect(buffer.put(9, "z", at: .at(3)) == .late)
    #expect((buffer.duplicates, buffer.late, buffer.count) == (1, 2, 1))
    #expect(buffer.deadline == .at(51))
  }

  @Test func awaitsWhatComesBeforeTheFirstPacketWhereToldTo() {
    var buffer = ReorderBuffer<Int>(window: .milliseconds(50))
    buffer.begin(at: 5)
    buffer.put(6, 6, at: .at(0))
    #expect(buffer.next() == nil)
    buffer.put(5, 5, at: .at(1))
    #expect(buffer.next() == .element(5, 5))
    #expect(buffer.next() == .element(6, 6))
    #expect(buffer.deadline == nil)
  }

  @Test func flushesAtTheEndOfATake() {
    var buffer = ReorderBuffer<Int>(window: .seconds(3))
    for number in [1, 3, 6] { buffer.put(Int64(number), number, at: .at(0)) }
    buffer.flush()
    var releases: [ReorderBuffer<Int>.Release] = []
    while let release = buffer.next() { releases.append(release) }
    #expect(releases == [.element(1, 1), .lost(2...2), .element(3, 3), .lost(4...5), .element(6, 6)])
    #expect(buffer.count == 0)
  }

  @Test func takesTheWildestNumbersInBoundedTime() {
    var buffer = ReorderBuffer<Int>(window: .milliseconds(60))
    for number in [0, Int64.max - 1, .max - 3, .min, .max - 2] { buffer.put(number, 0, at: .at(0)) }
    buffer.advance(to: .at(100))
    buffer.flush()
    var last = Int64.min
    while let release = buffer.next() {
      if case .element(let number, _) = release {
        #expect(number >= last)
        last = number
      }
    }
    #expect(last == .max - 1)
  }

  @Test(arguments: 1...6) func accountsForEveryNumberOnceAndInOrder(seed: UInt64) {
    var random = SeededRandom(seed)
    var arrivals: [(at: Int64, number: Int64)] = []
    for number in Int64(0)..<2_000 where random.unit() > 0.05 {
      let delay = random.unit() < 0.1 ? Int64.random(in: 0...400, using: &random) : 0
      arrivals.append((number * 10 + delay, number))
      if random.unit() < 0.02 { arrivals.append((number * 10 + delay + 30, number)) }
    }
    arrivals.sort { ($0.at, $0.number) < ($1.at, $1.number) }
    var buffer = ReorderBuffer<Int64>(window: .milliseconds(200), capacity: 64)
    var turn: Int64?
    func check(_ release: ReorderBuffer<Int64>.Release) {
      switch release {
      case .element(let number, let element):
        #expect(number == element && number == turn ?? number)
        turn = number + 1
      case .lost(let range):
        #expect(range.lowerBound == turn)
        turn = range.upperBound + 1
      }
    }
    for arrival in arrivals {
      buffer.advance(to: .at(arrival.at))
      buffer.put(arrival.number, arrival.number, at: .at(arrival.at))
      while let release = buffer.next() { check(release) }
      #expect(buffer.count < 64)
    }
    buffer.flush()
    while let release = buffer.next() { check(release) }
    #expect(turn == (arrivals.map(\.number).max() ?? 0) + 1)
  }
}
