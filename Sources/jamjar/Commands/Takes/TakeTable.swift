/// A list of takes for people.
enum TakeTable {
  static func text(_ takes: [TakeView]) -> String {
    var table = TextTable([
      .whole("take", style: Style.faint), .whole("started (UTC)"), .text("room"), .text("song"), .number("number"),
      .number("length"), .number("tracks"), .whole("state", style: Style.state),
      .whole("rating", style: Style.stars), .text("title"),
    ])
    for take in takes {
      table.add([
        take.id, Reading.time(take.startedAt), take.room, take.song ?? "-", "\(take.number)",
        Reading.length(seconds: take.duration), "\(take.trackCount)", take.state, Reading.stars(take.rating),
        take.title ?? "",
      ])
    }
    return table.text
  }
}
