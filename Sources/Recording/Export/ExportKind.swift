/// What an export makes of a take.
package enum ExportKind: String, Hashable, Sendable, CaseIterable {
  /// One stereo file.
  case mix
  /// One file for each track.
  case stems
  /// Tracks and a project of Reaper.
  case reaper
  /// Tracks with the files that Audacity opens.
  case audacity
  /// A project for every program that reads DAWproject.
  case dawproject
  /// The take's folder as it is.
  case archive

  /// What a project of a workstation is an export of.
  package init(_ format: ProjectFormat) {
    switch format {
    case .stems: self = .stems
    case .reaper: self = .reaper
    case .audacity: self = .audacity
    case .dawproject: self = .dawproject
    }
  }
}

/// Which version of the tracks is exported.
package enum TrackSource: String, Hashable, Sendable, CaseIterable {
  /// What came over the network.
  case take
  /// What musicians' own machines kept, where they did.
  case lossless
}
