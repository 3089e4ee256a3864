import Machines
import Music

/// Finds how far the lanes of an import are from the longest one, by the sound that several microphones heard.
struct ImportAligner {
  /// How far a lane may be off, in samples: ten seconds.
  static let reach = 480_000
  /// Samples compared: the first minute and a half.
  private static let window: Int64 = 4_320_000
  /// Least correlation that counts as the same sound.
  static let leastCorrelation = 0.2

  /// What was found for a lane.
  struct Finding {
    /// Samples by which the lane has to be moved; 0 where nothing was found.
    var shift: Int64
    /// What the certificate says about its place.
    var basis: String
    var note: String?
  }

  /// One finding for each lane.
  static func align(_ plan: ImportPlan, _ proceed: () throws -> Void) throws -> [Finding] {
    let lanes = plan.lanes
    let lengths = lanes.map { $0.pieces.map(\.length).reduce(0, +) }
    guard let reference = lanes.indices.max(by: { lengths[$0] < lengths[$1] }) else { return [] }
    let name = lanes[reference].name.description
    let played = try sound(of: lanes[reference], plan)
    return try lanes.enumerated().map { index, lane in
      guard index != reference else {
        return Finding(shift: 0, basis: "\(lane.basis); the others were aligned with it")
      }
      try proceed()
      let recorded = try sound(of: lane, plan)
      // Only where both have sound: the loudest place may lie after the end of this one.
      let match = CrossCorrelation.align(recorded, to: Array(played.prefix(recorded.count)), maximumLag: reach)
      guard let match, match.coefficient >= leastCorrelation else {
        let found = match.map { "the best correlation is \(text($0.coefficient))" } ?? "it is silent or too short"
        return Finding(
          shift: 0, basis: lane.basis,
          note: "\(lane.name) could not be aligned with \(name): \(found); it stays where \(lane.basis) puts it")
      }
      let shift = -Int64(saturating: match.lag.rounded())
      let moved = text(Double(shift) / Double(SamplePosition.rate))
      return Finding(
        shift: shift, basis: "correlation \(text(match.coefficient)) with \(name), moved by \(moved) s")
    }
  }

  private static func sound(of lane: ImportPlan.Lane, _ plan: ImportPlan) throws -> [Float] {
    let source = LaneSource(lane, of: plan)
    return try source.mono(from: 0, frames: Int(min(window, source.frameCount)))
  }

  /// With three decimal places.
  private static func text(_ number: Double) -> String {
    let thousandths = Int64(saturating: (abs(number) * 1_000).rounded())
    let rest = String(thousandths % 1_000)
    return (number < 0 ? "-" : "") + "\(thousandths / 1_000)."
      + String(repeating: "0", count: max(0, 3 - rest.utf8.count)) + rest
  }
}
