import TestSupport
import Testing

@testable import Recording

/// What shows that a sender left out sound, and what does not.
@Suite struct DropWitnessTests {
  private static let packet = 0.02
  private static let way = 0.03

  /// A sender with reports every second whose microphone leaves out sound that RTP time does not count.
  private struct Sender {
    var length = 12.0
    /// When sound is left out, and how much, in seconds.
    var drops: [(at: Double, length: Double)] = []
    /// When the first report leaves, in seconds; nil sends none.
    var firstReport: Double? = 0.5
    var jitter = 0.004
    var seed: UInt64 = 1

    /// What the recorder learns, and the steps that it follows.
    func heard() -> (clock: SenderClock, steps: [ClockStep]) {
      var random = SeededRandom(seed)
      var clock = SenderClock()
      var steps: [ClockStep] = []
      func follow(at time: Double, isEnd: Bool = false) {
        while let step = clock.step(at: time, isEnd: isEnd) {
          steps += step.earlier + [step]
          guard let media = step.standstill else { return }
          clock.insert(standstill: step.size, at: media, announcedAt: step.announcedAt)
        }
      }
      var media = 0.0
      var sequence: Int64 = 100
      var last = (sent: 0.0, media: 0.0)
      var left = drops
      var nextReport = firstReport ?? .infinity
      var followed = 0.0
      for block in 0..<Int(length / DropWitnessTests.packet) {
        let start = Double(block) * DropWitnessTests.packet
        let end = start + DropWitnessTests.packet
        while nextReport <= end {
          // Senders count on from their last packet, also while the microphone stands still.
          clock.observe(
            senderReport: 3_000_000_000 + nextReport, media: last.media + nextReport - last.sent,
            arrival: nextReport + DropWitnessTests.way + random.unit() * jitter)
          nextReport += 1
        }
        if let drop = left.first, start >= drop.at - 1e-9 {
          if start < drop.at + drop.length - 1e-9 { continue }
          left.removeFirst()
        }
        media += DropWitnessTests.packet
        last = (end, media)
        let arrival = end + DropWitnessTests.way + random.unit() * jitter
        let inserted = steps.reduce(0) { $0 + ($1.standstill == nil ? 0 : $1.size) }
        clock.observe(packet: sequence, endingAt: media + inserted, arrival: arrival, isInOrder: true)
        last.media = media + inserted
        sequence += 1
        if arrival - followed >= 0.5 {
          followed = arrival
          follow(at: arrival)
        }
        let more = steps.reduce(0) { $0 + ($1.standstill == nil ? 0 : $1.size) }
        last.media = media + more
      }
      follow(at: length, isEnd: true)
      return (clock, steps)
    }
  }

  @Test func withoutDropsAllButTheVeryEdgesIsSeen() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let seen = try #require(Sender(seed: seed).heard().clock.dropsSeen)
      #expect(seen.lowerBound < 0.2, "\(seen)")
      #expect(seen.upperBound > 11.8, "\(seen)")
    }
  }

  @Test(arguments: [0.06, 0.1, 0.2, 0.4, 0.7]) func whatWasSeenEndsBeforeADropThatNothingShows(beforeEnd: Double) throws
  {
    for seed in 1...20 as ClosedRange<UInt64> {
      let at = 12 - beforeEnd
      let (clock, steps) = Sender(drops: [(at, 0.02)], seed: seed).heard()
      let seen = try #require(clock.dropsSeen)
      if steps.isEmpty {
        #expect(seen.upperBound <= at + 0.001, "\(seen)")
        // The packet before it came as fast as ever, or one shortly before that.
        #expect(seen.upperBound > at - 0.3, "\(seen)")
      }
    }
  }

  @Test func aDropBetweenReportsIsFollowedAndSeen() throws {
    let (clock, steps) = Sender(drops: [(4.2, 0.02), (6.8, 0.04)]).heard()
    #expect(steps.count == 2)
    let seen = try #require(clock.dropsSeen)
    #expect(seen.upperBound > 11.8 && clock.witness.doubtful.isEmpty)
  }

  @Test func beforeTheFirstReportOnlyArrivalsTell() throws {
    let (clock, steps) = Sender(drops: [(0.4, 0.02)], firstReport: 0.9).heard()
    let seen = try #require(clock.dropsSeen)
    #expect(steps.isEmpty && seen.lowerBound >= 0.4, "\(seen)")
    #expect(seen.lowerBound < 1)
  }

  /// Its wall clock is set forward by 50 ms shortly before the end, so that a drop is announced that arrivals refute.
  @Test(arguments: [1, 50]) func aSettingOfTheClockAtTheEndHidesNothing(packetsPerCaptureTime: Int) throws {
    var random = SeededRandom(3)
    var clock = SenderClock()
    for block in 0..<600 {
      let start = Double(block) * Self.packet
      let arrival = start + Self.packet + Self.way + random.unit() * 0.004
      clock.observe(packet: Int64(block), endingAt: start + Self.packet, arrival: arrival, isInOrder: true)
      guard block % packetsPerCaptureTime == 0 else { continue }
      let wall = 3_000_000_000 + start + (start > 9.5 ? 0.05 : 0)
      clock.observe(captureTime: wall, media: start, arrival: arrival)
    }
    #expect(clock.step(at: 12, isEnd: true) == nil)
    let seen = try #require(clock.dropsSeen)
    #expect(seen.lowerBound < 0.1 && seen.upperBound > 11.8, "\(seen)")
  }

  @Test func withoutReportsNothingIsSeen() {
    #expect(Sender(firstReport: nil).heard().clock.dropsSeen == nil)
  }

  /// Reports that run on through a standstill tell times that are still to come. Packets near those times are all of the
  /// new line, so the standstill must be looked for where packets were sent.
  @Test(arguments: [0.4, 1, 3, 6]) func aStandstillThroughWhichReportsRunOnIsFollowed(length: Double) throws {
    for seed in 1...10 as ClosedRange<UInt64> {
      let (_, steps) = Sender(length: 16, drops: [(4.3, length)], seed: seed).heard()
      let step = try #require(steps.first)
      let place = try #require(step.standstill)
      #expect(steps.count == 1 && abs(step.size - length) < 0.006, "\(steps)")
      #expect(abs(place - 4.3) < 0.03, "\(step)")
      #expect(step.sequence == 315, "\(step)")
    }
  }
}
