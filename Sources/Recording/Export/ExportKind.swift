/// The kinds of export.
package enum ExportKind: String, Hashable, Sendable, Codable, CaseIterable {
  /// One stereo file.
  case mix
  /// One file for each track.
  case stems
  /// Tracks and a project of Reaper.
  case reaper
  /// Tracks and a session of Ardour.
  case ardour
  /// Tracks with the files that Audacity opens.
  case audacity
  /// A project for any program that reads DAWproject.
  case dawproject
  /// The take's folder as it is.
  case archive

  /// The kind of export for a workstation's project format.
  package init(_ format: ProjectFormat) {
    switch format {
    case .stems: self = .stems
    case .reaper: self = .reaper
    case .ardour: self = .ardour
    case .audacity: self = .audacity
    case .dawproject: self = .dawproject
    }
  }
}

/// The version of the tracks to export.
package enum TrackSource: String, Hashable, Sendable, Codable, CaseIterable {
  /// The audio received over the network.
  case take
  /// The musicians' own local recordings, if any.
  case lossless
}
