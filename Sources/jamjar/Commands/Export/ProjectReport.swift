import Music
import Recording
import Signaling

/// The report on an exported project.
struct ProjectReport {
  let job: ProjectJob
  let project: ExportedProject

  /// Text for users.
  var text: String {
    let take = job.source.take
    let tracks = project.trackCount == 1 ? "1 track" : "\(project.trackCount) tracks"
    var lines = [
      "Take \(take.number) in room \"\(take.room)\" \(words): \(job.target.path)",
      "  \(tracks), \(Reading.length(project.length)), \(Reading.bytes(project.files.reduce(0) { $0 + $1.size }))",
    ]
    if let main = project.main, !project.format.isSingleFile { lines.append("  To open: \(main)") }
    if project.start < .zero {
      lines.append("  The take's zero lies at \(Reading.fixed(-project.start.seconds * 1_000, 3)) ms of it.")
    } else if project.start > .zero {
      lines.append("  It begins at \(Reading.position(project.start)) of the take.")
    }
    if !project.omissions.isEmpty {
      lines.append("  Not carried over: \(project.omissions.joined(separator: ", ")).")
    }
    return lines.joined(separator: "\n")
  }

  private var words: String {
    switch project.format {
    case .reaper: "for Reaper"
    case .ardour: "for Ardour"
    case .audacity: "for Audacity"
    case .dawproject: "as a DAWproject"
    case .stems: "as stems"
    }
  }

  /// JSON for programs: positions in seconds, sizes in bytes.
  var json: JSONValue {
    .object([
      "take": .string(job.source.take.id.description), "project": .string(project.format.rawValue),
      "path": .string(job.target.path), "open": project.main.map { .string($0) } ?? .null,
      "tracks": .integer(Int64(project.trackCount)), "start": .number(project.start.seconds),
      "duration": .number(project.length.seconds),
      "files": .array(project.files.map { .object(["name": .string($0.name), "size": .integer($0.size)]) }),
      "omissions": .array(project.omissions.map { .string($0) }),
    ])
  }
}
