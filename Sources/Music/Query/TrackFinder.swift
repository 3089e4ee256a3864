/// Finds a track by name or number: the same rule for the command line, REST and exports.
package struct TrackFinder: Sendable {
  package let tracks: [Track]

  /// - Parameter tracks: the tracks to search.
  package init(among tracks: [Track]) {
    self.tracks = tracks
  }

  /// The track of the musician named `text` (exactly, or else ignoring case), or the track with that number or
  /// identifier.
  /// - Throws: `TrackFindingProblem` if no musician or more than one has that name.
  package func track(_ text: String) throws(TrackFindingProblem) -> Track {
    var found = tracks.filter { $0.participant.name.description == text }
    if found.isEmpty { found = tracks.filter { $0.participant.name.description.folded == text.folded } }
    if found.isEmpty { found = tracks.filter { "\($0.number)" == text || $0.id.description == text } }
    guard let track = found.first else { throw TrackFindingProblem(text: text, isAmbiguous: false) }
    guard found.count == 1 else { throw TrackFindingProblem(text: text, isAmbiguous: true) }
    return track
  }
}

/// The reason why a text identifies no track.
package struct TrackFindingProblem: Error, Hashable, Sendable {
  package var text: String
  /// True if several musicians have that name, false if none does.
  package var isAmbiguous: Bool
}

extension String {
  /// A key that is equal for texts differing only in case.
  fileprivate var folded: String { uppercased().lowercased() }
}
