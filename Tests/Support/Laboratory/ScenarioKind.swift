/// What is special about a scenario.
package enum ScenarioKind: String, Sendable, CaseIterable {
  case honest
  case fivePercentLoss
  case twentyPercentLoss
  /// Loss with nobody who answers requests.
  case lossForGood
  case heldPath
  case outage
  case stray
  case duplicatesAndReordering
  /// Blocks are left out at capture, RTP time counts them.
  case dropsCounted
  /// Blocks are left out at capture, and nothing tells.
  case dropsUntold
  case microphoneStandstill
  case noReports
  case noReportsFarAway
  case asymmetry
  case reportsAhead
  case lateReports
  case answersLie
  case wanderingPath
  case sourceChange
  case manySourceChanges
  case sequenceJump
  case redundancy
  case leaving
  case leavingUnderLoss
  case endsSilently
  /// Packets say when they were captured, and reports are off.
  case captureTimes
  /// The same, and blocks are left out at capture.
  case captureTimesAndDrops
}
