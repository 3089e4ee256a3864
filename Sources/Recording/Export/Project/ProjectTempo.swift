import Glibc
import Music

/// Tempo and metre on a project's time line, in quarter notes as in workstations.
struct ProjectTempo: Sendable {
  /// The tempo from this point on.
  struct Point: Sendable {
    /// From the beginning of the project.
    var seconds: Double
    /// Quarter notes from the beginning of the project.
    var quarters: Double
    /// Quarter notes per minute.
    var tempo: Double
    var beatsPerBar: Int
    var beatUnit: Int
    /// True if a bar begins here: at a new metre, or at the first full bar of a project that begins within one.
    var beginsBar: Bool
    /// True if the bar before is incomplete.
    var isPartial: Bool
  }

  /// Ascending; the first is at 0.
  private(set) var points: [Point] = []

  /// Tolerance for a bar line, in quarter notes.
  private static let tolerance = 1e-3

  /// - Parameters:
  ///   - map: ascending changes; the first tempo also applies before it.
  ///   - start: frame of the take's time line at which the project begins.
  init?(_ map: TempoMap, start: Int64) {
    func place(_ change: TempoMap.Change) -> Double {
      (Double(change.position.samples) - Double(start)) / Double(SamplePosition.rate)
    }
    // If the project begins inside the map, the last change before it applies.
    let first = map.changes.lastIndex { place($0) <= 0 } ?? map.changes.startIndex
    guard first < map.changes.endIndex else { return nil }
    let change = map.changes[first]
    guard change.beatUnit > 0, change.beatsPerBar > 0, change.beatsPerMinute > 0 else { return nil }
    points = [ProjectTempo.point(change, seconds: 0, quarters: 0, isPartial: false)]
    let tempo = points[0].tempo
    let bar = ProjectTempo.bar(change)
    // The first bar line at or after the project's beginning.
    let sinceBar = ProjectTempo.remainder(-place(change) * tempo / 60, bar)
    if sinceBar > ProjectTempo.tolerance, bar - sinceBar > ProjectTempo.tolerance {
      let seconds = (bar - sinceBar) * 60 / tempo
      if map.changes.dropFirst(first + 1).first.map({ place($0) > seconds }) ?? true {
        points.append(
          ProjectTempo.point(change, seconds: seconds, quarters: bar - sinceBar, isPartial: true))
      }
    }
    for change in map.changes.dropFirst(first + 1) { append(change, at: place(change)) }
  }

  private mutating func append(_ change: TempoMap.Change, at seconds: Double) {
    guard let last = points.last, let metre = points.last(where: \.beginsBar), seconds > last.seconds else { return }
    guard change.beatUnit > 0, change.beatsPerBar > 0, change.beatsPerMinute > 0 else { return }
    let quarters = last.quarters + (seconds - last.seconds) * last.tempo / 60
    let bar = Double(metre.beatsPerBar) * 4 / Double(metre.beatUnit)
    let sinceBar = ProjectTempo.remainder(quarters - metre.quarters, bar)
    let isOnBar = min(sinceBar, bar - sinceBar) <= ProjectTempo.tolerance
    var point = ProjectTempo.point(change, seconds: seconds, quarters: quarters, isPartial: !isOnBar)
    point.beginsBar = change.beatsPerBar != metre.beatsPerBar || change.beatUnit != metre.beatUnit
    if !point.beginsBar { point.isPartial = false }
    points.append(point)
  }

  private static func point(
    _ change: TempoMap.Change, seconds: Double, quarters: Double, isPartial: Bool
  ) -> Point {
    Point(
      seconds: seconds, quarters: quarters, tempo: change.beatsPerMinute * 4 / Double(change.beatUnit),
      beatsPerBar: change.beatsPerBar, beatUnit: change.beatUnit, beginsBar: true, isPartial: isPartial)
  }

  /// Quarter notes per bar.
  private static func bar(_ change: TempoMap.Change) -> Double {
    Double(change.beatsPerBar) * 4 / Double(change.beatUnit)
  }

  /// The non-negative remainder of `value` divided by `divisor`.
  private static func remainder(_ value: Double, _ divisor: Double) -> Double {
    let rest = fmod(value, divisor)
    return rest < 0 ? rest + divisor : rest
  }
}
