import Catalog
import Foundation
import Machines
import Music
import Recording

/// The demonstration's take, compared with what was played.
struct DemoReport {
  /// A recorded track, and how well it matches its part.
  private struct Row {
    var track: Track
    var level: Double
    var playedLevel: Double
    var match: CrossCorrelation.Match
    /// Milliseconds that the track lies off its true place beside the first one.
    var misplacement: Double
  }

  /// The limits for a good take, the same as in the end-to-end tests.
  private static let leastCoefficient = 0.95
  private static let mostMisplacement = 5.0
  /// Samples within which a part is looked for about its track's beginning: a tenth of a second, less than a beat.
  private static let reach = 4_800

  private let take: Take
  private let rows: [Row]
  private let folder: String
  private let stopToReady: Double

  init(_ finished: DemoPerformance.Finished, parts: [DemoPiece.Part], index: any CatalogEngine, data: String)
    async throws
  {
    guard let take = try await index.take(finished.take) else {
      throw FileProblem(path: data, operation: .read, code: 0, detail: "the take is not in the index")
    }
    self.take = take
    stopToReady = finished.stopToReady.milliseconds
    folder = data + "/" + take.folder
    let files = try TakeFolder(existing: take.folder, in: data)
    let tracks = try await index.tracks(of: take.id)
    var rows: [Row] = []
    var first: Double?
    for (position, part) in parts.enumerated() {
      guard let track = tracks.first(where: { $0.participant.name.description == part.musician }), let file = track.file
      else { continue }
      let recorded = try DemoReport.left(of: file, in: files)
      let played = stride(from: 0, to: part.samples.count, by: 2).map { part.samples[$0] }
      guard let match = DemoReport.match(recorded, to: played, from: track.alignment?.offset ?? 0) else { continue }
      let expected = Double(DemoPerformance.entries[position]) * 48
      let origin = first ?? match.lag - expected
      first = origin
      rows.append(
        Row(
          track: track, level: DemoReport.level(recorded, over: played.count),
          playedLevel: DemoReport.level(played, over: played.count), match: match,
          misplacement: (match.lag - expected - origin) / 48))
    }
    self.rows = rows
  }

  /// True if every track exists, lies at its position, and matches what was played.
  var isGood: Bool {
    rows.count == DemoPerformance.entries.count && take.state == .ready
      && rows.allSatisfy {
        $0.match.coefficient > Self.leastCoefficient && abs($0.misplacement) < Self.mostMisplacement
      }
  }

  /// Finds a part in its track of which the first sample lies `offset` seconds from the take's zero.
  static func match(_ recorded: [Float], to played: [Float], from offset: Double) -> CrossCorrelation.Match? {
    CrossCorrelation.align(
      recorded, to: played, around: Int((offset * Double(DemoPiece.rate)).rounded()), reach: DemoReport.reach)
  }

  private static func left(of file: String, in folder: TakeFolder) throws -> [Float] {
    let reader = try SoundFileReader(file, in: folder)
    var samples: [Float] = []
    while true {
      let block = try reader.read(frames: 48_000)
      if block.isEmpty { return samples }
      samples += stride(from: 0, to: block.count, by: reader.channels).map { block[$0] }
    }
  }

  /// RMS in dBFS of `samples` as if they lasted `frames`, so that silence before and after does not count.
  private static func level(_ samples: [Float], over frames: Int) -> Double {
    let energy = samples.reduce(0) { $0 + Double($1) * Double($1) }
    return 10 * log10(energy / Double(max(1, frames)))
  }

  var text: String {
    var lines = [
      "",
      "Take \(take.number) in room \"\(take.room)\": \(take.state.rawValue), "
        + "\(fixed(take.length?.seconds ?? 0, 3)) s, ready \(fixed(stopToReady, 0)) ms after the last musician left.",
      "",
      "  track  musician  part     length s   channels  level dBFS (played)   fits   off by ms  gaps  file",
    ]
    for row in rows {
      let track = row.track
      lines.append(
        "  " + cell("\(track.number)", 7) + cell(track.participant.name.description, 10) + cell(track.part ?? "", 9)
          + cell(fixed(track.length?.seconds ?? 0, 3), 11) + cell("\(track.channels)", 10)
          + cell("\(fixed(row.level, 1)) (\(fixed(row.playedLevel, 1)))", 22)
          + cell(fixed(row.match.coefficient, 3), 7) + cell(fixed(row.misplacement, 3), 11)
          + cell("\(track.gaps.count)", 6) + (track.file ?? ""))
    }
    lines += [
      "",
      "\"fits\" is the correlation with what was played; \"off by\" is how far a track lies from its true place beside the",
      "first: the musicians came in 40 and 90 ms after one another, and that is what was recorded.",
      "",
      "Files:   \(folder)",
      "Listen:  ffplay \"\(folder)/mix.flac\"     or open all tracks at zero in any DAW",
      isGood ? "All is well." : "Something is wrong: see above.",
    ]
    return lines.joined(separator: "\n")
  }

  private func cell(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  private func fixed(_ value: Double, _ digits: Int) -> String {
    value.isFinite ? String(format: "%.\(digits)f", value) : "-"
  }
}
