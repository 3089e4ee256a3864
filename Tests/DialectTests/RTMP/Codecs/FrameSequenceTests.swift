import Testing

@testable import Server

@Suite struct FrameSequenceTests {
  /// What becomes of frames with these timestamps: a frame is its own timestamp, a loss is a negative number of frames.
  private func results(_ stamps: [Int64], duration: Double? = 1_024.0 / 48) -> [Int64] {
    var sequence = FrameSequence<Int64>()
    sequence.duration = duration
    var items = stamps.flatMap { sequence.add($0, timestamp: $0) }
    items += sequence.finish()
    return items.map { item in
      switch item {
      case .frame(let frame): frame
      case .lost(let count): Int64(-count)
      }
    }
  }

  /// Rounded timestamps of frames by their numbers.
  private func stamps(_ numbers: some Sequence<Int>) -> [Int64] { numbers.map { Int64($0 * 64 / 3) } }

  @Test func framesInARowPass() {
    let all = stamps(0..<200)
    #expect(results(all) == all)
  }

  @Test func aFrameThatNeverCameIsFoundWhereItWas() {
    let (first, second, third) = (stamps(0..<10), stamps(11..<30), stamps(33..<50))
    let expected: [[Int64]] = [first, [-1], second, [-3], third]
    #expect(results(first + second + third) == Array(expected.joined()))
  }

  /// The decoder's first answer tells the duration more exactly than the stream's head, and comes whenever it does.
  @Test(arguments: [1_024.0 / 48 + 1e-12, 1_024.0 / 48 - 0.02])
  func aDurationThatIsKnownBetterHidesNoLoss(former: Double) {
    for place in 1..<20 {
      var sequence = FrameSequence<Int64>()
      sequence.duration = former
      var lost = 0
      for (index, stamp) in stamps((0..<30).filter { $0 != 10 }).enumerated() {
        if index == place { sequence.duration = 1_024.0 / 48 }
        for case .lost(let count) in sequence.add(stamp, timestamp: stamp) { lost += count }
      }
      #expect(lost == 1, "known better before frame \(place)")
    }
  }

  @Test func lossesSideBySideAreAllFound() {
    let numbers = [0, 1, 2, 4, 6, 8, 9, 10, 11]
    let expected: [[Int64]] = [
      stamps([0, 1, 2]), [-1], stamps([4]), [-1], stamps([6]), [-1], stamps([8, 9, 10, 11]),
    ]
    #expect(results(stamps(numbers)) == Array(expected.joined()))
  }

  @Test func aLossJustBeforeTheEndIsFound() {
    let expected: [[Int64]] = [stamps([0, 1, 2]), [-1], stamps([4])]
    #expect(results(stamps([0, 1, 2, 4])) == Array(expected.joined()))
  }

  /// Some senders stamp what they send when they find time: three frames at once, and then nothing for as long.
  @Test func timestampsOfASenderThatBurstsAreNoLoss() {
    let all = (0..<60).map { Int64($0 / 3 * 64) }
    #expect(results(all) == all)
    let shifted = (1..<61).map { Int64($0 / 3 * 64) }
    #expect(results(shifted) == shifted)
  }

  @Test func aSingleLateTimestampIsNoLoss() {
    var all = stamps(0..<20)
    all[10] += 21
    #expect(results(all) == all)
  }

  @Test func aSlowerClockIsNoLoss() {
    // 500 parts in a million, for ten minutes.
    let all = (0..<28_000).map { Int64(Double($0) * 64 / 3 * 1.0005) }
    #expect(results(all) == all)
  }

  @Test func aPauseAndAnotherClockAreNoLoss() {
    let all = stamps(0..<10) + stamps(100..<110) + stamps(0..<10)
    #expect(results(all) == all)
  }

  @Test func nothingIsKnownWithoutTheLengthOfAFrame() {
    let all = stamps([0, 1, 5, 6, 7, 8])
    #expect(results(all, duration: nil) == all)
  }

  @Test func extremeTimestampsPass() {
    let all: [Int64] = [0, .max, .min, 4_294_967_295, 0]
    #expect(results(all) == all)
  }
}
