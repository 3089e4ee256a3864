/// What a take is exported as for further work.
package enum ProjectFormat: String, Hashable, Sendable, Codable, CaseIterable {
  /// A project of Reaper (`.rpp`) with the tracks' FLAC files.
  case reaper
  /// A list of files for Audacity (`.lof`) with a label track and the tracks' FLAC files.
  case audacity
  /// An exchange file after bitwig/dawproject 1.0 for Bitwig Studio, Studio One, Cubase and others: one file.
  case dawproject
  /// A broadcast WAV file (24 bit) a track, all beginning at one time and equally long, each with the cues as markers.
  case stems

  /// What the program's own file ends in, without the dot; nil where there is none.
  package var ending: String? {
    switch self {
    case .reaper: "rpp"
    case .audacity: "lof"
    case .dawproject: "dawproject"
    case .stems: nil
    }
  }

  /// True where the format is one file in any case.
  package var isSingleFile: Bool { self == .dawproject }
}
