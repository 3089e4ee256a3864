import Foundation
import Music
import Recording

/// A journal's statistics as text for users.
struct JournalReport {
  private let found: JournalInspection

  init(_ found: JournalInspection) {
    self.found = found
  }

  var text: String {
    [head, tracks, frames].filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  private var head: String {
    let header = found.header
    let song = header.song.map { " of \"\($0.title.printable)\"" } ?? ""
    var lines = [
      "Journal of take \(header.number)\(song) in room \"\(header.room.description.printable)\"",
      "  file      \(found.path.printable), \(Reading.bytes(found.size)), format version \(header.version)",
      "  take      \(header.take)",
      "  started   \(Reading.time(header.startedAt.description)) UTC, by \(header.software.printable)",
      "  frames    \(found.counts.values.reduce(0, +)), "
        + "from \(seconds(found.seconds(found.first))) to \(seconds(found.seconds(found.last)))",
      "  end       \(end)",
    ]
    for (key, value) in header.options.sorted(by: { $0.key < $1.key }) {
      lines.append("  option    \(key.printable) = \(value.printable)")
    }
    lines += findings.map { "  \(Screen.standard.painted("found     \($0)", .doubtful))" }
    return lines.joined(separator: "\n")
  }

  private var end: String {
    switch found.end {
    case .stopped: "stopped by somebody"
    case .split: "split: the next take goes on without a break"
    case .sessionEnded: "the last musician left"
    case .shutdown: "the service was told to stop"
    case .recovered: "the process died; closed at its next start"
    case .diskFull: "the disk was full"
    case .unknown: "a reason that a newer release knows"
    case nil: "none yet: the take rolls, or its process died"
    }
  }

  /// All irregularities.
  private var findings: [String] {
    var lines = found.damages.map(\.description)
    if found.skippedBytes > 0 { lines.append("\(found.skippedBytes) bytes cannot be read and were left out") }
    if found.tornBytes > 0 { lines.append("\(found.tornBytes) bytes at the end make no whole frame (a torn tail)") }
    if found.missingFrames > 0 { lines.append("\(found.missingFrames) frames were numbered but never written") }
    if found.unknownFrames > 0 { lines.append("\(found.unknownFrames) frames are of a kind of a newer release") }
    return lines
  }

  private var tracks: String {
    guard !found.tracks.isEmpty else { return "" }
    var table = TextTable([
      .number("track"), .text("musician"), .text("part"), .whole("from"), .number("packets"), .number("missing"),
      .number("first s"), .number("last s"), .number("packets/s"), .number("kbit/s"),
    ])
    for track in found.orderedTracks {
      table.add([
        "\(track.number)", track.name ?? "-", track.opened?.part ?? "-", track.opened?.origin ?? "-",
        "\(track.packets)", "\(track.missing)", Reading.fixed(track.first(from: found.header.zero), 3),
        Reading.fixed(track.last(from: found.header.zero), 3), Reading.fixed(track.packetRate, 2),
        Reading.fixed(track.bitRate, 1),
      ])
    }
    return "Tracks\n\(table.text)"
  }

  private var frames: String {
    var table = TextTable([.whole("frames of kind"), .number("count")])
    for (kind, count) in found.counts.sorted(by: { $0.key < $1.key }) { table.add([kind, "\(count)"]) }
    return table.isEmpty ? "There are no frames." : table.text
  }

  private func seconds(_ value: Double?) -> String { value.map { "\(Reading.fixed($0, 3)) s" } ?? "-" }
}
