import TestSupport
import Testing

@testable import Recording

/// What a sender's capture times show of its stream's first packets, and capture times that are late.
@Suite struct CaptureTimesTests {
  /// A microphone that has just been opened often leaves out a block; the first capture time is the first packet's.
  @Test(arguments: [1, 3, 9, 40], [true, false])
  func aBlockLeftOutBehindAStreamsFirstPacketsIsFound(count: Int, isToldAtOnce: Bool) throws {
    var simulation = ClockSimulation(drift: 0, jitter: 0.002)
    func speak() {
      simulation.clock.observe(
        captureTime: simulation.captured + 1e9, media: simulation.media, arrival: simulation.captured + 0.05)
    }
    speak()
    simulation.run(packets: count)
    simulation.captured += 0.02
    if isToldAtOnce { speak() }
    simulation.run(packets: 50 - count)
    if !isToldAtOnce { speak() }
    simulation.run(packets: 60)
    let step = try #require(simulation.clock.step(at: simulation.captured + 0.05))
    #expect(step.sequence == count)
    #expect(abs(step.size - 0.02) < 0.000_1)
    let media = try #require(step.standstill)
    #expect(abs(media - Double(count) * 0.02) < 0.000_1)
    simulation.clock.insert(standstill: step.size, at: media, announcedAt: step.announcedAt)
    #expect(simulation.clock.step(at: simulation.captured + 0.05) == nil)
    // Media time has gone on by the block.
    #expect(abs(simulation.clock.captureTime(atMedia: simulation.media + 0.02) - simulation.captured) < 0.003)
  }

  /// The first capture time is wrong, and all packets are as quick as each other.
  @Test func aFirstCaptureTimeThatPacketsContradictIsNoStep() {
    var simulation = ClockSimulation(drift: 0, jitter: 0.001)
    simulation.clock.observe(captureTime: 0.48 + 1e9, media: 0, arrival: simulation.captured + 0.05)
    for _ in 0..<3 {
      simulation.run(packets: 50)
      simulation.clock.observe(
        captureTime: simulation.captured + 1e9, media: simulation.media, arrival: simulation.captured + 0.05)
    }
    #expect(simulation.clock.step(at: simulation.captured + 0.05) == nil)
  }

  /// In packets: how many come before the first one with a capture time.
  @Test(arguments: [0, 3])
  func dropsAreSeenFromTheFirstSampleWithACaptureTimeOn(before: Int) {
    var simulation = ClockSimulation(drift: 0, jitter: 0.002)
    simulation.run(packets: before)
    let media = simulation.media
    for _ in 0..<2 {
      let (captured, stamped) = (simulation.captured, simulation.media)
      simulation.run(packets: 50)
      simulation.clock.observe(captureTime: captured + 1e9, media: stamped, arrival: captured + 0.05)
      #expect(simulation.clock.dropsSeen?.lowerBound == media)
    }
  }

  /// The stamps of the second sender are 10 ms late, so that the two directions seem to be less than nothing together.
  @Test(arguments: [0, 0.01])
  func captureTimesThatAreLateMoveNothingOnAQuickPath(late: Double) {
    var simulation = ClockSimulation(drift: 0, delay: 0.001, jitter: 0)
    for _ in 0..<10 {
      simulation.clock.observe(
        captureTime: simulation.captured + late + 1e9, media: simulation.media, arrival: simulation.captured + 0.021)
      simulation.run(packets: 50)
      let now = simulation.captured
      simulation.clock.observe(answerTo: now - 0.051, held: 0.05, senderTime: now + 1e9, arrival: now + 0.001)
    }
    #expect(abs(simulation.error) < 0.2, "\(simulation.error)")
    #expect(abs(simulation.error) < simulation.clock.errorBound * 1_000)
  }

  /// Two thirds of a minute of a browser's reports, one in five seconds.
  @Test(arguments: [0, 0.004, 0.009, 0.02], [0.000_5, 0.002])
  func captureTimesThatAreLateMoveNothingOnALongPath(late: Double, jitter: Double) {
    var simulation = ClockSimulation(drift: 0, delay: 0.02, jitter: jitter)
    for _ in 0..<8 {
      for _ in 0..<5 {
        simulation.clock.observe(
          captureTime: simulation.captured + late + 1e9, media: simulation.media, arrival: simulation.captured + 0.041)
        simulation.run(packets: 50)
      }
      let now = simulation.captured
      let (there, back) = (0.02 + simulation.random.unit() * jitter, 0.02 + simulation.random.unit() * jitter)
      simulation.clock.observe(
        senderReport: now + 1e9, media: simulation.media - late, arrival: now + there)
      simulation.clock.observe(answerTo: now - 0.05 - back, held: 0.05, senderTime: now + 1e9, arrival: now + there)
      #expect(abs(simulation.error) < max(0.3, jitter * 500), "\(simulation.error)")
      #expect(abs(simulation.error) < simulation.clock.errorBound * 1_000)
    }
  }
}
