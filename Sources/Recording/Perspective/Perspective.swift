/// In whose time the tracks of a mix lie beside one another; musicians are named by the number of their track.
///
/// Over a network nobody hears the others when they play. The time line holds each sound at the instant at which it was
/// played; the other perspectives shift whole tracks to where somebody heard or meant them (`docs/perspective.md`).
package enum Perspective: Hashable, Sendable {
  /// Each sound at the instant at which its musician played it: the take's own time line.
  case asPlayed
  /// What this musician heard while playing: the own track at its place, every other one as late as it was heard.
  case heard(by: Int)
  /// The groove as the others felt it: this musician's track at its place, every other one earlier by the delay with
  /// which its musician heard this one, so that what was played together lies together.
  case following(Int)
}

extension Perspective {
  /// How far each of `tracks` (their numbers) has to be shifted, in their order.
  ///
  /// - Throws: `PerspectiveProblem` that names everything that was never measured.
  package func shifts(of tracks: [Int], by readings: HearingReadings) throws(PerspectiveProblem) -> [TrackShift] {
    switch self {
    case .asPlayed:
      return tracks.map { TrackShift(track: $0) }
    case .heard(let listener):
      return try shifts(of: tracks, around: listener) { (readings.delay(at: listener, of: $0), 1) }
    case .following(let leader):
      return try shifts(of: tracks, around: leader) { (readings.delay(at: $0, of: leader), -1) }
    }
  }

  private func shifts(
    of tracks: [Int], around centre: Int, delay: (Int) -> (Result<HeardDelay, PerspectiveProblem>, sign: Int64)
  ) throws(PerspectiveProblem) -> [TrackShift] {
    guard tracks.contains(centre) else { throw PerspectiveProblem.noSuchTrack(centre) }
    var shifts: [TrackShift] = []
    var missing = PerspectiveProblem.Missing()
    for track in tracks {
      guard track != centre else {
        shifts.append(TrackShift(track: track))
        continue
      }
      switch delay(track) {
      case (.success(let delay), let sign):
        shifts.append(TrackShift(track: track, samples: sign * delay.samples, delay: delay))
      case (.failure(.notReported(let other)), _): missing.add(other)
      case (.failure(let problem), _): throw problem
      }
    }
    guard missing.isEmpty else { throw PerspectiveProblem.notReported(missing) }
    return shifts
  }
}

/// By how much a track is moved in a mix; the same for the whole take, in whole samples, never stretched.
package struct TrackShift: Hashable, Sendable {
  /// The track's number.
  package var track: Int
  /// Samples at 48 kHz; positive is later.
  package var samples: Int64
  /// What the shift rests on, nil where there is none.
  package var delay: HeardDelay?

  package init(track: Int, samples: Int64 = 0, delay: HeardDelay? = nil) {
    self.track = track
    self.samples = samples
    self.delay = delay
  }
}
