import Testing

@testable import Recording

/// A sender by RTMP that pauses, and whose last packets before that were held by a busy machine or the network.
@Suite struct HeldPauseTests {
  private static let packet = 0.02
  /// Media time from which everything is sent later, and by how much.
  private static let pause = (at: 3.3, length: 1.5)
  /// The first packet behind the pause.
  private static let first: Int64 = 165

  /// What holds packets up, in seconds on the sender's clock.
  struct Holds: CustomTestStringConvertible {
    /// Nothing is read before this; then ten times as fast as it was sent.
    var start = 0.0
    /// Nothing is read between these; then everything at once.
    var before: ClosedRange<Double>?

    var testDescription: String { "start \(start), before the pause \(before.map { "\($0)" } ?? "nothing")" }
  }

  /// The arrival of each packet, in seconds.
  private func arrivals(_ holds: Holds, packets: Int) -> [Double] {
    (0..<packets).map { index in
      let end = Double(index + 1) * HeldPauseTests.packet
      let sent = end > HeldPauseTests.pause.at + 1e-9 ? end + HeldPauseTests.pause.length : end
      let read = max(sent, holds.start + end / 10)
      guard let before = holds.before, before.contains(read) else { return read }
      return before.upperBound
    }
  }

  /// A step, and when it was found.
  private struct Finding {
    var step: ClockStep
    var time: Double
  }

  /// The first step that a render finds, which looks every half second.
  private func step(_ arrivals: [Double]) -> Finding? {
    var clock = SenderClock(isSilent: true)
    var looked = 0.0
    for (index, arrival) in arrivals.enumerated() {
      let end = Double(index + 1) * HeldPauseTests.packet
      clock.observe(packet: Int64(index), endingAt: end, arrival: arrival, isInOrder: true)
      guard arrival - looked >= 0.5 else { continue }
      looked = arrival
      if let step = clock.step(at: arrival) { return Finding(step: step, time: arrival) }
    }
    return nil
  }

  @Test(arguments: [
    Holds(), Holds(start: 1.2), Holds(before: 3.06...3.55), Holds(before: 3.06...3.7), Holds(before: 2.5...4.3),
    Holds(before: 3.1...4.4), Holds(start: 1.2, before: 3.06...3.55),
  ])
  func thePauseIsOneStepAtItsPlace(holds: Holds) throws {
    let finding = step(arrivals(holds, packets: 300))
    let found = try #require(finding)
    #expect(found.step.sequence == HeldPauseTests.first)
    #expect(abs(found.step.size - HeldPauseTests.pause.length) < 0.02)
    // A block is rendered 2.5 s after its packets came: until then they can still be moved.
    let behind = HeldPauseTests.pause.at + HeldPauseTests.packet + HeldPauseTests.pause.length
    #expect(found.time - behind <= 2.5)
  }

  /// Held packets that come back to the line are late, and nothing else.
  @Test func whatWasHeldAloneIsNoStep() {
    var arrivals: [Double] = []
    for index in 0..<400 {
      let end = Double(index + 1) * HeldPauseTests.packet
      arrivals.append((3.06...4.9).contains(end) ? 4.9 : end)
    }
    let found = step(arrivals)?.step
    #expect(found == nil)
  }

  /// Five seconds for four: the line never rests, and has to be followed all the same.
  @Test func whoPlaysEverSlowerIsFollowed() throws {
    let arrivals = (0..<600).map { Double($0 + 1) * HeldPauseTests.packet * 1.25 }
    let finding = step(arrivals)
    let found = try #require(finding)
    #expect(found.step.size >= 0.2 && found.step.size < 1)
  }
}
