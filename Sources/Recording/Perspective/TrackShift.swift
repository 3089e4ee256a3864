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
