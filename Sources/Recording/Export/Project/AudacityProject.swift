import Music

/// A take as a list of files for Audacity (LOF): files at their times, in the order of the tracks.
struct AudacityProject {
  let text: String

  init(_ plan: ProjectPlan, media: [ProjectMedia]) {
    var lines = [
      "# " + LabelTrack.line("\(plan.title), room \(plan.take.room), \(plan.take.startedAt)"),
      "# File > Import > Labels: \(AudacityProject.labelsName)",
      "window offset 0 duration \(ProjectPlan.seconds(plan.length))",
    ]
    for (lane, media) in zip(plan.lanes, media) where lane.length > 0 {
      // Names of media have letters, digits, - _ and . only; there is nothing to quote.
      let offset = lane.position == 0 ? "" : " offset \(ProjectPlan.seconds(lane.position))"
      lines.append("file \"\(media.name)\"\(offset)")
    }
    text = lines.joined(separator: "\n") + "\n"
  }

  /// The label track's file.
  static let labelsName = "labels.txt"
}
