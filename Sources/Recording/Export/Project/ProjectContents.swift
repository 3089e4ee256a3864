import Music

/// The files of a project, before any is written.
struct ProjectContents {
  /// A file whose contents are in memory.
  struct Text {
    var name: String
    var bytes: [UInt8]

    init(_ name: String, _ text: String) {
      self.name = name
      bytes = Array(text.utf8)
    }
  }

  var format: ProjectFormat
  var plan: ProjectPlan
  var texts: [Text]
  /// In the order of the plan's tracks.
  var media: [ProjectMedia]
  /// The file to open.
  var main: String?
  var omissions: [String]

  /// Cues beside stems.
  static let cuesName = "cues.txt"

  init(_ format: ProjectFormat, _ plan: ProjectPlan, name: String, omissions: [String]) {
    self.format = format
    self.plan = plan
    self.omissions = omissions
    let media = plan.lanes.map { ProjectContents.media(of: $0, in: plan, for: format) }
    self.media = media
    let labels = plan.markers.map { marker in
      let seconds = LabelTrack.seconds(SamplePosition(marker.position))
      return "\(seconds)\t\(seconds)\t\(LabelTrack.line(marker.text))\n"
    }.joined()
    main = format.ending.map { "\(name).\($0)" }
    switch format {
    case .reaper: texts = [Text("\(name).rpp", ReaperProject(plan, media: media).text)]
    case .audacity:
      texts = [
        Text("\(name).lof", AudacityProject(plan, media: media).text), Text(AudacityProject.labelsName, labels),
      ]
    case .dawproject:
      let project = DAWProject(plan, media: media)
      texts = [Text(DAWProject.metadataName, project.metadata), Text(DAWProject.projectName, project.project)]
    case .ardour: texts = [Text("\(name).ardour", ArdourSession(plan, media: media).text)]
    case .stems: texts = labels.isEmpty ? [] : [Text(ProjectContents.cuesName, labels)]
    }
  }

  private static func media(
    of lane: ProjectPlan.Lane, in plan: ProjectPlan, for format: ProjectFormat
  ) -> ProjectMedia {
    func made(_ form: ExportFormat, from first: Int64, frames: Int64) -> ProjectMedia {
      ProjectMedia(
        name: ProjectMedia.name(lane.file, ending: form.ending), source: lane.file, channels: lane.channels,
        form: .made(form, start: lane.start, first: first, frames: frames))
    }
    let copy = ProjectMedia(name: lane.file, source: lane.file, channels: lane.channels, form: .copy)
    switch format {
    case .reaper, .ardour: return copy
    case .audacity:
      // A list of files cannot refer to part of a file.
      let isWhole = lane.skip == 0 && lane.length == lane.fileLength
      return isWhole || lane.length == 0
        ? copy : made(.flac24, from: lane.start + lane.skip, frames: lane.length)
    case .dawproject: return made(.wav24, from: lane.start, frames: lane.fileLength)
    case .stems: return made(.bwf24, from: plan.start, frames: plan.length)
    }
  }
}

/// The export formats for further editing.
package enum ProjectFormat: String, Hashable, Sendable, Codable, CaseIterable {
  /// A project of Reaper (`.rpp`) with the tracks' FLAC files.
  case reaper
  /// A session of Ardour 7 (`.ardour`) with the tracks' FLAC files.
  case ardour
  /// A list of files for Audacity (`.lof`) with a label track and the tracks' FLAC files.
  case audacity
  /// An exchange file in bitwig/dawproject 1.0 for Bitwig Studio, Studio One, Cubase and others: one file.
  case dawproject
  /// A broadcast WAV file (24 bit) per track, all with the same start and length, each with the cues as markers.
  case stems

  /// Extension of the project file, without the dot; nil if there is none.
  package var ending: String? {
    switch self {
    case .reaper: "rpp"
    case .ardour: "ardour"
    case .audacity: "lof"
    case .dawproject: "dawproject"
    case .stems: nil
    }
  }

  /// True if the format is always a single file.
  package var isSingleFile: Bool { self == .dawproject }

  /// The folders in each other in which the project has its sound; none if it lies beside the project's file.
  var mediaFolder: [String] {
    switch self {
    case .ardour: ArdourSession.mediaFolder
    case .dawproject: [DAWProject.mediaFolder]
    case .reaper, .audacity, .stems: []
    }
  }
}

/// A sound file of a project and its origin.
struct ProjectMedia: Hashable, Sendable {
  /// How the file is made from a take's file.
  enum Form: Hashable, Sendable {
    /// A byte-for-byte copy.
    case copy
    /// Converted samples: `frames` samples of the time line from `first`, from a file that begins at `start`; silence
    /// outside it.
    case made(ExportFormat, start: Int64, first: Int64, frames: Int64)
  }

  /// The file's name in the project.
  var name: String
  /// The file in the take's folder.
  var source: String
  var channels: Int
  var form: Form

  /// The file's name with another extension.
  static func name(_ source: String, ending: String) -> String {
    let parts = source.split(separator: ".", omittingEmptySubsequences: false)
    return parts.dropLast().joined(separator: ".") + "." + ending
  }
}
