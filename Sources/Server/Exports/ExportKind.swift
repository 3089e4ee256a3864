/// What an export makes of a take.
enum ExportKind: String, Hashable, Sendable, CaseIterable {
  /// One stereo file.
  case mix
  /// One file for each track, in a ZIP archive.
  case stems
  /// Tracks and a project of Reaper, in a ZIP archive.
  case reaper
  /// Tracks with the files that Audacity opens, in a ZIP archive.
  case audacity
  /// A project for every program that reads DAWproject.
  case dawproject
  /// The take's folder as it is, in a ZIP archive.
  case archive
}
