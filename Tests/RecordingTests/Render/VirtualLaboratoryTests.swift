import TestSupport
import Testing

@testable import Recording

/// Random musicians of the laboratory in virtual time: every packet lies where its sound was captured, and what is missing
/// is a gap or lies where the certificate says that a drop would not show.
@Suite struct VirtualLaboratoryTests {
  /// Nobody asks for lost packets again here: what was lost at the moment of a leave is missing for good, and no gap.
  private static let kinds = ScenarioKind.allCases.filter { $0 != .leavingUnderLoss }

  private func expectKept(_ scenario: Scenario, standstill: Range<Double>? = nil) throws {
    let broken: [String] = try VirtualLaboratory(scenario, standstill: standstill).broken()
    #expect(broken.isEmpty, "\(scenario.kind) \(scenario.seed): \(broken)")
  }

  @Test(arguments: kinds) func whatIsPromisedHolds(kind: ScenarioKind) throws {
    for seed in 1...8 as ClosedRange<UInt64> { try expectKept(Scenario(kind, seed: seed)) }
  }

  /// Drops shortly before a take's end, between the last reports, while a report is written: the seeds are those of which
  /// one or the other was wrong once.
  @Test(arguments: [10, 14, 37, 105, 206, 249, 321, 402, 484, 548, 580, 755, 764, 9_059, 9_709, 9_734] as [UInt64])
  func aDropIsListedOrSaidToBeUnseen(seed: UInt64) throws {
    try expectKept(Scenario(.dropsUntold, seed: seed))
  }

  /// The numbers go on with any other, forwards or backwards; RTP time goes on as if nothing were.
  @Test(arguments: [3_000, 32_767, 32_768, 33_230, 37_655, 62_000] as [UInt16])
  func afterAJumpOfTheNumbersDropsShowAsBefore(jump: UInt16) throws {
    for seed in 1...4 as ClosedRange<UInt64> {
      var scenario = Scenario(.sequenceJump, seed: seed)
      scenario.musicians[0].jumps = [(at: 6, by: jump)]
      try expectKept(scenario)
    }
  }

  /// A report that leaves right after the first packet of a stream may arrive before it.
  @Test(arguments: [9_269, 9_994] as [UInt64]) func aReportMayOvertakeTheFirstPacketOfItsStream(seed: UInt64) throws {
    try expectKept(Scenario(.manySourceChanges, seed: seed))
  }

  /// What waited in the sockets is read at once, and the journal's time is ahead of it: a packet that was overtaken on its
  /// way comes after those behind it as ever, and is heard.
  @Test(arguments: [ScenarioKind.honest, .duplicatesAndReordering, .redundancy, .heldPath])
  func aRecorderThatStandsStillLosesNothingThatWaited(kind: ScenarioKind) throws {
    for (seed, length) in zip(1...8 as ClosedRange<UInt64>, [1.2, 3, 4.5, 6, 8, 8.5, 2, 5]) {
      try expectKept(Scenario(kind, seed: seed), standstill: 2.5..<2.5 + length)
    }
  }

  /// A microphone stands still, RTP time with it, and the sender's reports go on, or there are none.
  @Test(arguments: [0.1, 0.3, 0.6, 0.9, 1.2, 2, 3.5, 5], [true, false])
  func aStandstillOfTheMicrophoneIsInItsPlace(length: Double, reports: Bool) throws {
    for seed in 1...5 as ClosedRange<UInt64> {
      var scenario = Scenario(.honest, seed: seed)
      scenario.length += 5
      scenario.musicians[0].drops = [
        .init(at: 3.5 + Double(seed) * 0.17, blocks: Int(length * 50), timeRunsOn: false)
      ]
      if !reports { scenario.musicians[0].reports = nil }
      try expectKept(scenario)
    }
  }

  /// A machine that stands still as the first packet leaves: that one arrives last of all, and a take begins 200 ms
  /// before it. What was captured before that is not in the take, and all else lies where it was captured.
  @Test(arguments: [0.3, 0.6, 1.1]) func aFirstPacketAtAStandstillMovesNothing(length: Double) throws {
    for seed in 1...4 as ClosedRange<UInt64> {
      var scenario = Scenario(.honest, seed: seed)
      for index in scenario.musicians.indices {
        scenario.musicians[index].path.standstills = [.init(start: 0, length: length, keeps: true)]
      }
      try expectKept(scenario)
    }
  }
}
