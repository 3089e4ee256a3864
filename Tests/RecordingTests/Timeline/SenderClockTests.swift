import TestSupport
import Testing

@testable import Recording

@Suite struct SenderClockTests {
  private typealias Simulation = ClockSimulation

  @Test(arguments: [100.0, -300])
  func findsDriftAndPlaceUnderJitterAndLoss(drift: Double) {
    var simulation = Simulation(drift: drift)
    for second in 1...300 {
      simulation.run(packets: 50, loss: 0.2)
      #expect(abs(simulation.error) < simulation.clock.errorBound * 1_000)
      if second > 60 { #expect(abs(simulation.error) < 1, "after \(second) s") }
    }
    #expect(abs(simulation.clock.drift - drift) < 3)
  }

  @Test func knowsLittleAtFirstAndSaysSo() {
    var simulation = Simulation(drift: 50)
    simulation.run(packets: 100)
    #expect(abs(simulation.error) < 10)
    #expect(simulation.clock.errorBound > 0.03)
    #expect(simulation.clock.basis == "arrival times")
  }

  @Test func aStalledMicrophoneIsAStepAtTheRightPacket() throws {
    var simulation = Simulation(drift: 20)
    simulation.run(packets: 500)
    let first = simulation.sequence
    simulation.captured += 0.5
    simulation.run(packets: 125)
    let step = try #require(simulation.clock.step(at: simulation.captured + 0.05))
    #expect(step.sequence == first)
    #expect(abs(step.size - 0.5) < 0.02)
  }

  /// 10 ms is one block of a sound card, the least that a browser leaves out.
  @Test(arguments: [(stall: 0.08, jitter: 0.01), (stall: 0.01, jitter: 0.002)])
  func aStallThatTheSenderReportsIsFoundThoughItIsShort(stall: Double, jitter: Double) throws {
    var simulation = Simulation(drift: 20, jitter: jitter)
    for index in 0..<20 {
      let first = simulation.sequence
      if index == 15 { simulation.captured += stall }
      simulation.clock.observe(
        captureTime: simulation.captured + 1e9, media: simulation.media, arrival: simulation.captured + 0.05)
      simulation.run(packets: 60)
      guard index == 15 else {
        #expect(simulation.clock.step(at: simulation.captured + 0.05) == nil || index > 15)
        continue
      }
      let step = try #require(simulation.clock.step(at: simulation.captured + 0.05))
      #expect(abs(step.sequence - first) <= 1)
      #expect(abs(step.size - stall) < stall / 4)
    }
  }

  @Test func aBlockLeftOutInAStreamsFirstSecondsIsFound() throws {
    var simulation = Simulation(drift: 0, jitter: 0.002)
    func speak() {
      simulation.clock.observe(
        captureTime: simulation.captured + 1e9, media: simulation.media, arrival: simulation.captured + 0.05)
    }
    speak()
    simulation.run(packets: 50)
    speak()
    simulation.run(packets: 30)
    let first = simulation.sequence
    simulation.captured += 0.01
    // A browser speaks at once where its clocks part.
    speak()
    simulation.run(packets: 55)
    let step = try #require(simulation.clock.step(at: simulation.captured + 0.05))
    #expect(abs(step.sequence - first) <= 1)
    #expect(abs(step.size - 0.01) < 0.002)
  }

  @Test func aSlowerNetworkIsNoStep() {
    var simulation = Simulation(drift: 0)
    simulation.run(packets: 500)
    simulation.run(packets: 200, extraDelay: 0.15)
    #expect(simulation.clock.step(at: simulation.captured + 0.2) == nil)
  }

  @Test func aMuchSlowerNetworkIsNoStepWhereTheSenderSpeaks() {
    var simulation = Simulation(drift: 0)
    for index in 0..<15 {
      simulation.clock.observe(
        captureTime: simulation.captured + 1e9, media: simulation.media, arrival: simulation.captured + 0.05)
      simulation.run(packets: 50, extraDelay: index > 9 ? 0.4 : 0)
      #expect(simulation.clock.step(at: simulation.captured + 0.45) == nil)
    }
  }

  @Test func aNewRouteIsFollowed() {
    var simulation = Simulation(drift: 10, jitter: 0.002)
    simulation.run(packets: 3_000)
    // Forty milliseconds more each way: arrivals and round trips both say so.
    simulation.run(packets: 5_000, extraDelay: 0.04)
    #expect(abs(simulation.error) < 2, "\(simulation.error)")
  }

  @Test func reportsShowHowLongSamplesWaitInTheSender() {
    // A sender that keeps every packet back for 30 ms: only its reports tell.
    var simulation = Simulation(drift: 0, delay: 0.02, jitter: 0.001)
    for _ in 0..<20 {
      simulation.run(packets: 250, extraDelay: 0)
      let now = simulation.captured
      simulation.clock.observe(senderReport: now + 1e9, media: simulation.media, arrival: now - 0.03 + 0.02)
    }
    // The reports came as if packets could be 30 ms earlier.
    #expect(abs(simulation.error + 30) < 2, "\(simulation.error)")
    #expect(simulation.clock.basis == "sender reports")
  }

  @Test func aClientsClockThatIsNotTheOneOfItsReportsNarrowsNoBound() {
    var simulation = Simulation(drift: 0, delay: 0.15, jitter: 0.02)
    simulation.run(packets: 150)
    let before = simulation.clock.errorBound
    // A page's own count of milliseconds, over a quick path.
    simulation.clock.observe(
      captureTime: simulation.captured + 1e9, media: simulation.media, arrival: simulation.captured + 0.2)
    simulation.clock.observe(clockSample: 12.5, arrival: simulation.captured, roundTrip: 0.002)
    #expect(simulation.clock.errorBound == before)
    #expect(before > 0.15)
  }

  @Test func aClientsClockThatSaysTheImpossibleMovesNothing() {
    for error in [-0.2, 0.2] {
      var simulation = Simulation(drift: 0, delay: 0.05, jitter: 0.01)
      simulation.run(packets: 500)
      simulation.clock.observe(roundTrip: 0.1, at: simulation.captured)
      simulation.clock.observe(
        captureTime: simulation.captured + 1e9, media: simulation.media, arrival: simulation.captured + 0.05)
      let (before, bound) = (simulation.error, simulation.clock.errorBound)
      // Off by more than the whole way: before the sound was there, or after it had left.
      simulation.clock.observe(
        clockSample: simulation.captured + error + 1e9, arrival: simulation.captured, roundTrip: 0.002)
      #expect(simulation.error == before)
      #expect(simulation.clock.errorBound == bound)
    }
  }

  /// The first sender is honest; the second says that it held our reports for so long that its 40 ms seem to be 1 ms.
  @Test(arguments: [(delay: 0.000_5, held: 0.05), (delay: 0.02, held: 0.089)])
  func aClientsOwnClockShowsHowMuchAnswersCanBeWrongBy(delay: Double, held: Double) {
    var simulation = Simulation(drift: 0, delay: delay, jitter: 0.000_2)
    for _ in 0..<10 {
      simulation.run(packets: 50)
      let now = simulation.captured
      simulation.clock.observe(answerTo: now - 0.05 - delay, held: held, senderTime: nil, arrival: now + delay)
      simulation.clock.observe(senderReport: now + 1e9, media: simulation.media, arrival: now + delay)
    }
    let unknown = simulation.clock.doubt
    #expect(unknown > 0.04)
    let (place, bound, trip) = (simulation.error, simulation.clock.errorBound, 2 * delay + 0.001)
    simulation.clock.observe(
      clockSample: simulation.captured - trip / 2 + 1e9, arrival: simulation.captured, roundTrip: trip)
    #expect(simulation.error == place && simulation.clock.errorBound == bound)
    #expect(simulation.clock.doubt < max(0.003, unknown / 2), "\(simulation.clock.doubt)")
    #expect(abs(place) < (bound + simulation.clock.doubt) * 1_000)
    #expect(delay < 0.01 || abs(place) > 15, "the second sender is believed")
  }

  /// The last second of a sender 20 ms away on a quiet path: a capture time, an answer, and a check that takes `trip`.
  private func speak(_ simulation: inout Simulation, held: Double, late: Double = 0, trip: Double?) {
    let (now, delay) = (simulation.captured, 0.02)
    simulation.clock.observe(
      captureTime: now + late + 1e9, media: simulation.media, arrival: now + 0.02 + delay)
    simulation.run(packets: 50)
    let (end, elapsed) = (simulation.captured, 2 * delay + 0.06)
    if let trip { simulation.clock.observe(checkTrip: trip + simulation.random.unit() * 0.000_2, at: end) }
    simulation.clock.observe(answerTo: end - elapsed, held: held, senderTime: end - delay + 1e9, arrival: end)
  }

  /// Capture times that are 9 ms late would place it 4.5 ms too late, and a report that is said to have been held for longer than
  /// it was by half of that.
  @Test(arguments: [(held: 0.06, late: 0.009), (0.09, 0)])
  func checksOfThePathTellWhatTheSenderDoesNot(held: Double, late: Double) {
    for isChecked in [false, true] {
      var simulation = Simulation(drift: 0, delay: 0.02, jitter: 0.000_2)
      for _ in 0..<20 { speak(&simulation, held: held, late: late, trip: isChecked ? 0.04 : nil) }
      let clock = simulation.clock
      #expect(isChecked ? abs(simulation.error) < 0.5 : simulation.error > 4, "\(simulation.error)")
      #expect(isChecked ? clock.doubt == 0 : clock.doubt > 0.05)
      guard isChecked else { continue }
      #expect(clock.errorBound > 0.02 && clock.errorBound < 0.023, "\(clock.errorBound)")
    }
  }

  @Test func aCheckAloneBoundsAPlace() {
    var simulation = Simulation(drift: 0, delay: 0.02, jitter: 0.000_2, measures: false)
    simulation.run(packets: 100)
    #expect(simulation.clock.unknownBecause == SenderClock.noRoundTrip)
    simulation.clock.observe(checkTrip: 0.041, at: simulation.captured)
    #expect(simulation.clock.unknownBecause == nil && simulation.clock.isWitnessed)
    #expect(abs(simulation.error) < 1 && simulation.clock.errorBound < 0.05)
  }

  @Test func checksThatAreAnsweredLateDisplaceWithinTheBound() {
    var simulation = Simulation(drift: 0, delay: 0.02, jitter: 0.000_2)
    for _ in 0..<20 { speak(&simulation, held: 0.06, trip: 0.07) }
    #expect(simulation.error < -10 && abs(simulation.error) < simulation.clock.errorBound * 1_000)
  }

  @Test func whereAPathIsCheckedNoMoreTheSendersWordCountsAgain() {
    var simulation = Simulation(drift: 0, delay: 0.02, jitter: 0.000_2)
    for _ in 0..<20 { speak(&simulation, held: 0.06, trip: 0.04) }
    #expect(simulation.clock.doubt == 0)
    for _ in 0..<65 { speak(&simulation, held: 0.06, trip: nil) }
    #expect(simulation.clock.doubt > 0.05)
    speak(&simulation, held: 0.06, trip: 0.04)
    #expect(abs(simulation.error) < 0.5)
  }

  @Test func aClockThatCannotBeTheOneOfItsReportsSparesNoDoubt() {
    for error in [12.5 - 1e9, 0.2, -0.2] {
      var simulation = Simulation(drift: 0, delay: 0.000_5, jitter: 0.000_2)
      simulation.run(packets: 500)
      let now = simulation.captured
      simulation.clock.observe(answerTo: now - 0.051, held: 0.05, senderTime: nil, arrival: now)
      simulation.clock.observe(senderReport: now + 1e9, media: simulation.media, arrival: now)
      let before = simulation.clock.doubt
      simulation.clock.observe(clockSample: now + error + 1e9, arrival: now, roundTrip: 0.002)
      #expect(simulation.clock.doubt == before && before > 0.04)
    }
  }

  /// Of each of two streams, whether its client told its clock, the first time before its first packet.
  @Test(arguments: [(first: true, second: true), (true, false), (false, true), (false, false)])
  func aReadingServesItsStreamAndNoOther(first: Bool, second: Bool) {
    var early = SenderClock()
    if first { early.observe(clockSample: 0.4 + 1e9, arrival: 0.401, roundTrip: 0.002) }
    var simulation = Simulation(drift: 0, delay: 0.000_5, jitter: 0.000_2)
    simulation.clock = SenderClock(after: early)
    for isKnown in [first, first && second] {
      simulation.run(packets: 50)
      let now = simulation.captured
      simulation.clock.observe(answerTo: now - 0.051, held: 0.05, senderTime: nil, arrival: now)
      simulation.clock.observe(senderReport: now + 1e9, media: simulation.media, arrival: now + 0.000_5)
      let doubt = simulation.clock.doubt
      #expect(isKnown ? doubt < 0.005 : doubt > 0.045, "\(doubt)")
      simulation.clock = SenderClock(after: simulation.clock)
      simulation.sequence = 0
      if second {
        simulation.clock.observe(clockSample: now + 0.4 + 1e9, arrival: now + 0.401, roundTrip: 0.002)
      }
    }
  }

  @Test func nonsenseMovesNothing() {
    var simulation = Simulation(drift: 0)
    simulation.run(packets: 2_000)
    let before = simulation.error
    simulation.clock.observe(roundTrip: -1, at: simulation.captured)
    simulation.clock.observe(roundTrip: 1e9, at: simulation.captured)
    for trip in [-1, 10, 1e9, .infinity, .nan] { simulation.clock.observe(checkTrip: trip, at: simulation.captured) }
    simulation.clock.observe(clockSample: -1e18, arrival: simulation.captured, roundTrip: 0.001)
    for index in 0..<50 {
      simulation.clock.observe(
        senderReport: Double(index) * 1e8, media: Double(index) * -1e6, arrival: simulation.captured)
    }
    #expect(abs(simulation.error - before) < 0.01)
    #expect(simulation.clock.step(at: simulation.captured) == nil)
  }
}
