import Music
import Signaling

/// The musicians' connections during a take, in short and where the music suffered. All rows are in `quality.json`.
struct QualityTable {
  private let tracks: [JSONObject]
  private let summaries: [QualitySummary]

  /// - Parameter tracks: as REST returns them.
  init(_ tracks: [JSONObject], _ summaries: [QualitySummary]) {
    (self.tracks, self.summaries) = (tracks, summaries)
  }

  /// Nil for a take in which nobody was measured.
  var text: String? {
    var shares = TextTable(
      [.number("track"), .text("musician")] + QualityLevel.allCases.map { .number("\($0.word) %") })
    var stretches = TextTable([
      .number("track"), .text("musician"), .number("from"), .number("to"), .whole("connection"), .whole("because"),
    ])
    for track in tracks {
      guard let summary = summaries.first(where: { $0.track.description == track["id"]?.string }) else { continue }
      let head = [
        track["number"]?.integer.map { "\($0)" } ?? "-", track["participant"]?.object?["name"]?.string ?? "-",
      ]
      let all = summary.levels.reduce(0.0) { $0 + $1.seconds }
      shares.add(head + summary.levels.map { Reading.fixed(all > 0 ? 100 * $0.seconds / all : nil, 1) })
      for stretch in summary.stretches {
        stretches.add(
          head + [
            Reading.length(seconds: stretch.start.seconds), Reading.length(seconds: stretch.end.seconds),
            stretch.level.word, stretch.cause.words,
          ])
      }
    }
    guard !shares.isEmpty else { return nil }
    let places = stretches.isEmpty ? "" : "\n\nWhere the music suffered\n\(stretches.text)"
    return "Connections, every three seconds\n\(shares.text)\(places)"
  }
}
