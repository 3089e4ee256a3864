/// The point of view from which the tracks of a mix are aligned; musicians are identified by the number of their
/// track.
///
/// Over a network, musicians hear each other late. The time line places each sound at the instant it was played. The
/// other perspectives shift whole tracks to where somebody heard or meant them (`docs/perspective.md`).
package enum Perspective: Hashable, Sendable, Codable {
  /// Each sound at the instant at which its musician played it: the take's own time line.
  case asPlayed
  /// What this musician heard while playing: their own track in place, all others as late as they were heard.
  case heard(by: Int)
  /// The groove as the others felt it: this musician's track stays in place, and all others move earlier by the delay
  /// with which their musicians heard it. Notes played together are then aligned.
  case following(Int)
}

extension Perspective {
  /// Returns the shifts of `tracks` (track numbers), in the same order.
  ///
  /// - Throws: `PerspectiveProblem` with all missing measurements.
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

/// The shift of a track in a mix; constant over the take, in whole samples, never stretched.
package struct TrackShift: Hashable, Sendable {
  /// The track's number.
  package var track: Int
  /// Samples at 48 kHz; positive is later.
  package var samples: Int64
  /// The delay that the shift is based on; nil if there is no shift.
  package var delay: HeardDelay?

  package init(track: Int, samples: Int64 = 0, delay: HeardDelay? = nil) {
    self.track = track
    self.samples = samples
    self.delay = delay
  }
}
