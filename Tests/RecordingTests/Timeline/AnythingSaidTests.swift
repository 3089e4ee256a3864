import TestSupport
import Testing

@testable import Recording

/// What a sender says of its clocks is data from outside: pairs in any order and of any time end nothing.
struct AnythingSaidTests {
  @Test func reportsInAnyOrderAreSurvived() {
    for seed in UInt64(0)..<300 {
      var generator = SeededRandom(seed)
      var clock = SenderClock()
      for number in 0..<400 {
        let time = Double(number) * 0.02
        clock.observe(packet: Int64(number), endingAt: time + 0.02, arrival: time + 0.05, isInOrder: true)
        // Now and then a pair as it should be, one of another time, or one that is late.
        let media = time - [0, 0, 0.3, 1.7, -2, 40][Int.random(in: 0..<6, using: &generator)]
        let step = [0, 0, 0.02, 0.5, -0.3][Int.random(in: 0..<5, using: &generator)]
        if number % 10 == 0 {
          clock.observe(senderReport: 4_000_000_000 + media + step, media: media, arrival: time + 0.05)
        } else if number % 23 == 0 {
          clock.observe(captureTime: 4_000_000_000 + media + step, media: media, arrival: time + 0.05)
        }
        if number % 25 == 24, let found = clock.step(at: time + 0.05, isEnd: number == 399),
          let media = found.standstill
        {
          clock.insert(standstill: found.size, at: media)
        }
      }
      #expect(clock.errorBound >= 0)
      #expect(clock.dropsSeen.map { $0.lowerBound.isFinite && $0.upperBound.isFinite } ?? true)
    }
  }

  /// A microphone stands still and RTP time with it, while reports say that RTP time runs on: the first report behind it
  /// speaks of an earlier time than the one before it.
  @Test func aStandstillThroughWhichReportsRanOnIsSurvived() {
    for silence in stride(from: 0.1, through: 2.9, by: 0.1) {
      var clock = SenderClock()
      var reported = 0.0
      func report(at time: Double, media: Double) {
        clock.observe(senderReport: 4_000_000_000 + time, media: media, arrival: time + 0.05)
        reported = time
      }
      for number in 0..<1_000 {
        let media = Double(number) * 0.02
        let shift = number < 500 ? 0 : silence
        while number == 500, reported + 0.25 < media + silence { report(at: reported + 0.25, media: reported + 0.25) }
        clock.observe(packet: Int64(number), endingAt: media + 0.02, arrival: media + 0.07 + shift, isInOrder: true)
        if media + shift - reported >= 0.25 { report(at: media + shift, media: media) }
        guard number % 25 == 24, let step = clock.step(at: media + 0.07 + shift) else { continue }
        if let place = step.standstill { clock.insert(standstill: step.size, at: place) }
      }
      #expect(clock.errorBound >= 0)
      #expect(clock.dropsSeen.map { $0.lowerBound.isFinite && $0.upperBound.isFinite } ?? true)
    }
  }
}
