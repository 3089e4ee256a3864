/// What a track's file holds, against what was played and what the certificate says.
package struct TrackFinding: Sendable {
  package var musician: String
  /// Of every 20 ms that was found, in milliseconds.
  package var errors: [Double] = []
  /// The certificate's, in milliseconds; nil where it says that it does not know.
  package var bound: Double?
  /// Whether the recorder had what it takes to know a bound: reports that answer its own.
  package var isMeasurable = false
  /// Stretches of 20 ms that lie further off than that.
  package var beyondBound = 0
  /// Stretches of 20 ms that are listed as missing and are there.
  package var wronglyListed = 0
  /// Stretches of 20 ms that are missing and not listed.
  package var unlisted = 0
  /// Stretches of 20 ms of which the certificate says that a drop there would not show, though a report came in time that
  /// shows it.
  package var hidden = 0
  /// What the certificate calls lost, and the least and most that the path delivered to nobody.
  package var lost = 0
  package var undelivered = 0...0
  /// What the certificate says was expected, and the least and most that were sent.
  package var expected = 0
  package var sent = 0...0
  /// Packets that were delivered before the take's end and are not in the journal.
  package var unjournaled = 0
  /// Reports that were delivered while the musician's input was open and are not in the journal.
  package var unjournaledReports = 0
  /// Packets in the journal, and how many of them are not in the file.
  package var journaled = 0
  package var missing = 0
  /// Places of the first faults, in seconds from the take's zero.
  package var examples: [String] = []

  /// What is not as promised; empty where all is.
  package func broken(isFinal: Bool) -> [String] {
    var broken: [String] = []
    let worst = errors.max() ?? 0
    if beyondBound > 0 {
      let bound = bound.map(TrackFinding.text) ?? "unknown"
      broken.append("\(beyondBound) × 20 ms beyond the bound (\(TrackFinding.text(worst)) of \(bound) ms)")
    }
    if isMeasurable, bound == nil { broken.append("its bound is unknown though reports were answered") }
    if wronglyListed > 0 { broken.append("\(wronglyListed) × 20 ms listed as missing are there") }
    if unlisted > 0 { broken.append("\(unlisted) × 20 ms are missing and not listed") }
    if hidden > 0 { broken.append("\(hidden) × 20 ms are called unseen though reports show drops there") }
    if isFinal, !undelivered.contains(lost) {
      broken.append("lost \(lost), undelivered \(undelivered.lowerBound) to \(undelivered.upperBound)")
    }
    if isFinal, !sent.contains(expected) {
      broken.append("expected \(expected), sent \(sent.lowerBound) to \(sent.upperBound)")
    }
    if isFinal, unjournaled > 0 { broken.append("\(unjournaled) delivered packets are not in the journal") }
    if isFinal, unjournaledReports > 0 {
      broken.append("\(unjournaledReports) delivered reports are not in the journal")
    }
    if isFinal, missing > 0 { broken.append("\(missing) of \(journaled) journaled packets are not in the file") }
    if errors.isEmpty { broken.append("nothing of it was found") }
    guard !broken.isEmpty else { return [] }
    return [
      "\(musician): " + broken.joined(separator: ", ")
        + (examples.isEmpty ? "" : " [\(examples.joined(separator: "; "))]")
    ]
  }

  private static func text(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }
}
