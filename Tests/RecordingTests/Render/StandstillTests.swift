import Music
import TestSupport
import Testing

@testable import Recording

/// A browser that is short of time leaves out blocks of 10 ms of what the microphone gave, several within a second: RTP
/// time knows nothing of it, and the capture times say so at once.
@Suite struct StandstillTests {
  /// Instants (seconds from the take's zero) and lengths of what is left out.
  private static let stalls: [(at: Double, length: Double)] = [
    (3.2, 0.02), (3.22, 0.01), (3.5, 0.13), (3.66, 0.06), (3.8, 0.03), (3.83, 0.01), (4.3, 0.01), (5.25, 0.04),
    (5.5, 0.09),
  ]

  private func player(
    _ stalls: [(at: Double, length: Double)] = stalls, _ change: (inout VirtualPlayer) -> Void = { _ in }
  ) -> VirtualPlayer {
    var player = VirtualPlayer()
    player.settings = OpusEncoder.Settings(channels: 1, bitrate: 64_000, complexity: 0)
    player.signal.isStereo = false
    player.signal.tempo = 8
    player.packet = 480
    player.end = 12
    (player.sendsCaptureTime, player.captureTimeInterval) = (true, 1)
    player.link.jitter = .uniform(0.001)
    player.events = stalls.map { .stall(at: $0.at, length: $0.length) }
    change(&player)
    return player
  }

  private func expectInPlace(
    _ rehearsal: TakeRehearsal, from start: Double, to end: Double, location: SourceLocation = #_sourceLocation
  ) throws {
    let match = try #require(rehearsal.lag(from: start, to: end), sourceLocation: location)
    #expect(abs(match.lag) < 24 && match.coefficient > 0.9, "\(match)", sourceLocation: location)
  }

  /// Everything that was left out is named, to the sample, and nothing else.
  private func expectStalls(
    _ rehearsal: TakeRehearsal, _ stalls: [(at: Double, length: Double)] = stalls,
    location: SourceLocation = #_sourceLocation
  ) {
    let gaps = rehearsal.render.tracks[0].gaps
    #expect(gaps.allSatisfy { $0.cause == .captureStall }, "\(gaps)", sourceLocation: location)
    #expect(
      gaps.count == stalls.count, "\(gaps)", sourceLocation: location)
    for (gap, stall) in zip(gaps, stalls) {
      // Both ends are rounded to samples of the time line.
      #expect(abs(gap.length.seconds - stall.length) < 1.5 / 48_000, "\(gap) \(stall)", sourceLocation: location)
      #expect(abs(gap.start.seconds - stall.at) < 0.02, "\(gap) \(stall)", sourceLocation: location)
    }
  }

  @Test func whatABusyBrowserLeavesOutMovesNothingElse() throws {
    let rehearsal = try TakeRehearsal([player()], length: 12)
    expectStalls(rehearsal)
    for (start, end) in [(2.5, 3), (3.3, 3.45), (3.9, 4.25), (4.4, 5.1), (5.6, 6), (9, 10)] {
      try expectInPlace(rehearsal, from: start, to: end)
    }
  }

  @Test func aSenderThatTellsItWithEveryPacketIsFollowedAlike() throws {
    expectStalls(try TakeRehearsal([player { $0.captureTimeInterval = 0 }], length: 12))
  }

  /// The first packets, and the last ones before the take is stopped.
  @Test(arguments: [
    [(at: 0.35, length: 0.02), (at: 0.4, length: 0.05)], [(at: 11.5, length: 0.05), (at: 11.7, length: 0.02)],
  ])
  func soDoTheFirstAndTheLastMoments(stalls: [(at: Double, length: Double)]) throws {
    let rehearsal = try TakeRehearsal([player(stalls)], length: 12)
    expectStalls(rehearsal, stalls)
    try expectInPlace(rehearsal, from: 11.77, to: 11.95)
  }

  /// Packets that are sent again come after the step was found: they belong before it.
  @Test func aLatePacketFromBeforeLiesBefore() throws {
    let rehearsal = try TakeRehearsal(
      [
        player([(at: 5, length: 0.1)]) {
          $0.link.loss = 0.2
          // Each request takes a second and a half.
          $0.link.delay = 0.75
        }
      ], length: 14, patience: 4)
    let gaps = rehearsal.render.tracks[0].gaps.filter { $0.cause == .captureStall }
    #expect(gaps.map(\.length.samples) == [4_800], "\(gaps)")
    for start in [3, 4.45, 5.2, 8] { try expectInPlace(rehearsal, from: start, to: start + 0.5) }
  }

  /// Clocks that drift, over minutes: the estimate goes on where it was, and does not begin anew at every block.
  @Test func theEstimateGoesOnThroughIt() throws {
    let stalls = stride(from: 20.0, to: 60, by: 0.7).map { (at: $0, length: 0.01) }
    let rehearsal = try TakeRehearsal(
      [
        player(stalls) {
          $0.end = 70
          $0.drift = 80
          $0.link.jitter = .uniform(0.01)
        }
      ], length: 70)
    #expect(rehearsal.render.tracks[0].gaps.count == stalls.count)
    for start in stride(from: 18.2, to: 68, by: 2.1) { try expectInPlace(rehearsal, from: start, to: start + 0.4) }
    let report = try #require(rehearsal.render.tracks[0].report)
    #expect(abs(report.drift - 80) < 30, "\(report)")
  }

  @Test func aClockOfReportsThatJumpsLeavesNothingOut() throws {
    let rehearsal = try TakeRehearsal(
      [player([]) { $0.events = [.clockJump(at: 4, by: 0.05), .clockJump(at: 4.4, by: 3_600)] }], length: 12)
    #expect(rehearsal.render.tracks[0].gaps.isEmpty, "\(rehearsal.render.tracks[0].gaps)")
    for start in [3, 4.1, 5, 9] { try expectInPlace(rehearsal, from: start, to: start + 0.25) }
  }
}
