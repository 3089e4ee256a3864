import Foundation
import Music

/// A take as a list of files for Audacity (LOF), with their times, in the order of the tracks.
struct AudacityProject {
  let text: String

  init(_ plan: ProjectPlan, media: [ProjectMedia]) {
    var lines = [
      "# " + LabelTrack.line("\(plan.title), room \(plan.take.room), \(plan.take.startedAt)"),
      "# File > Import > Labels: \(AudacityProject.labelsName)",
      "window offset 0 duration \(ProjectPlan.seconds(plan.length))",
    ]
    for (lane, media) in zip(plan.lanes, media) where lane.length > 0 {
      // Names of media contain only letters, digits, - _ and ., so they need no quoting.
      let offset = lane.position == 0 ? "" : " offset \(ProjectPlan.seconds(lane.position))"
      lines.append("file \"\(media.name)\"\(offset)")
    }
    text = lines.joined(separator: "\n") + "\n"
  }

  /// The label track's file.
  static let labelsName = "labels.txt"
}

/// Cues as an Audacity label track: one line each with start, end and text, separated by tabs.
struct LabelTrack {
  let text: String

  /// - Parameter origin: position on the take's time line of the labels' zero; earlier cues are left out.
  init(cues: [Cue], from origin: SamplePosition) {
    text = cues.sorted { ($0.position, $0.id) < ($1.position, $1.id) }.filter { $0.position >= origin }.map { cue in
      let seconds = LabelTrack.seconds(SamplePosition(cue.position.samples - origin.samples))
      return "\(seconds)\t\(seconds)\t\(LabelTrack.line(cue.text))\n"
    }.joined()
  }

  /// "61.500000": six digits are finer than a sample.
  static func seconds(_ position: SamplePosition) -> String {
    String(format: "%.6f", position.seconds)
  }

  /// `text` on one line, without characters that control a terminal or end a field.
  static func line(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}" ? " " : scalar
    }
    var line = String.UnicodeScalarView()
    line.append(contentsOf: scalars)
    return String(line)
  }
}
