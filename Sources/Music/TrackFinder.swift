/// Finds the track that somebody means: the one rule for the command line, REST and exports.
package struct TrackFinder: Sendable {
  package let tracks: [Track]

  /// - Parameter tracks: those that can be meant.
  package init(among tracks: [Track]) {
    self.tracks = tracks
  }

  /// The track of the musician called `text`: exactly so, or else in another case; or the track with that number or
  /// identifier.
  /// - Throws: `TrackFindingProblem` where nobody is called so, or several are.
  package func track(_ text: String) throws(TrackFindingProblem) -> Track {
    var found = tracks.filter { $0.participant.name.description == text }
    if found.isEmpty { found = tracks.filter { $0.participant.name.description.folded == text.folded } }
    if found.isEmpty { found = tracks.filter { "\($0.number)" == text || $0.id.description == text } }
    guard let track = found.first else { throw TrackFindingProblem(text: text, isAmbiguous: false) }
    guard found.count == 1 else { throw TrackFindingProblem(text: text, isAmbiguous: true) }
    return track
  }
}

/// Why some words mean no track.
package struct TrackFindingProblem: Error, Hashable, Sendable {
  package var text: String
  /// True where several musicians are called so, false where nobody is.
  package var isAmbiguous: Bool
}

extension String {
  /// The same for texts that differ in their case only.
  fileprivate var folded: String { uppercased().lowercased() }
}
