/// What came of a scenario.
package struct Verdict: Sendable {
  package var scenario: Scenario
  /// Of the files as they were when the take was ready; empty where the second look was quicker than ours.
  package var first: [TrackFinding] = []
  /// Of the files after the second look.
  package var final: [TrackFinding] = []
  /// Whether the second look replaced the files.
  package var isRefined = false
  /// The most by which this machine was late with anything of the musicians', in milliseconds.
  package var lateness = 0.0
  /// Why nothing could be found out; no fault of the recorder's.
  package var failure: String?

  /// The promises that were not kept.
  package var broken: [String] {
    first.flatMap { $0.broken(isFinal: false) }.map { "at first: " + $0 } + final.flatMap { $0.broken(isFinal: true) }
  }
}
