import Machines

/// The position of a backup on a take's time line, and its uncertainty.
package struct BackupAlignment: Hashable, Sendable, Codable {
  /// Position of the backup's first sample, in seconds from the take's zero; negative if it began earlier.
  package var offset: Double
  /// Rate of the backup's clock relative to the track's, in ppm; positive means fast.
  package var drift: Double
  /// Correlation of the aligned backup and the track: 1 for the same signal at any level.
  package var correlation: Double
  /// The 95th percentile of the residuals, in milliseconds.
  package var errorBound: Double
  package var mapping: BackupMapping

  package init(offset: Double, drift: Double, correlation: Double, errorBound: Double, mapping: BackupMapping) {
    self.offset = offset
    self.drift = drift
    self.correlation = correlation
    self.errorBound = errorBound
    self.mapping = mapping
  }
}

/// Why a backup cannot be aligned with its track; the description is a sentence for users.
package enum BackupRefusal: Error, Hashable, Sendable, Codable, CustomStringConvertible {
  /// One of the two is too short to compare; lengths in seconds.
  case tooShort(take: Double, backup: Double)
  /// The track is silent, or nearly so.
  case silentTrack
  /// The backup is silent, or nearly so.
  case silentBackup
  /// The sound does not match: another microphone or another take.
  case otherAudio(fitting: Int, compared: Int)
  /// The musician was not recorded: they left earlier or did not consent.
  case noTrack
  /// The musician's track has no file.
  case noSound
  /// Another backup covers more of the track; both in seconds.
  case lessThanAnother(covered: Double, other: Double)

  /// Shortest length that can be compared, in seconds.
  static let leastLength = 3.0

  package var description: String {
    switch self {
    case .tooShort(let take, let backup):
      "too short to be aligned: the track has \(BackupRefusal.seconds(take)) s, the backup "
        + "\(BackupRefusal.seconds(backup)) s; both need \(BackupRefusal.seconds(BackupRefusal.leastLength)) s at least"
    case .silentTrack: "the track has too little sound in it to be compared with the backup"
    case .silentBackup: "the backup contains too little sound where the track has some"
    case .otherAudio(let fitting, let compared):
      "the backup does not fit the track: \(fitting) of \(compared) places compared agree; it may be from another "
        + "microphone or another take"
    case .noTrack: "the take has no track of this participant, so nothing of theirs is kept"
    case .noSound: "the participant's track has no sound file to align a backup with"
    case .lessThanAnother(let covered, let other):
      "another backup covers \(BackupRefusal.seconds(other)) s of the track, this one \(BackupRefusal.seconds(covered)) s"
    }
  }

  /// Rounded down: what is too short must not read as long enough.
  private static func seconds(_ value: Double) -> String { "\((value * 10).rounded(.down) / 10)" }
}

/// Maps each sample of a take to a position in a backup: stretches without a jump, each a line with few, slight
/// bends.
package struct BackupMapping: Hashable, Sendable, Codable {
  /// A position in the take (samples at 48 kHz) and the corresponding position in the backup (frames of the backup).
  package struct Knot: Hashable, Sendable, Codable {
    package var take: Double
    package var backup: Double

    package init(take: Double, backup: Double) {
      (self.take, self.backup) = (take, backup)
    }
  }

  /// A stretch of the take that the backup covers.
  package struct Stretch: Hashable, Sendable, Codable {
    /// First sample of the take, and the sample after the last.
    package var start: Int64
    package var end: Int64
    /// At least two knots, sorted by position; the lines between them extend beyond the first and the last.
    package var knots: [Knot]

    package init(start: Int64, end: Int64, knots: [Knot]) {
      (self.start, self.end, self.knots) = (start, end, knots)
    }

    /// The position in the backup of a sample of the take.
    package func position(of sample: Double) -> Double {
      guard let first = knots.first, let last = knots.last, knots.count > 1 else { return 0 }
      let next = knots.firstIndex { $0.take > sample } ?? knots.count - 1
      let right = knots[max(1, next)]
      let left = sample >= last.take ? knots[knots.count - 2] : sample < first.take ? first : knots[max(1, next) - 1]
      return left.backup + (sample - left.take) * (right.backup - left.backup) / (right.take - left.take)
    }

    /// The part of the stretch that covers `range` (which lies within the stretch), with the knots it needs.
    func part(_ range: Range<Int64>) -> Stretch {
      guard knots.count > 2 else { return Stretch(start: range.lowerBound, end: range.upperBound, knots: knots) }
      let low = min(knots.count - 2, knots.lastIndex { $0.take <= Double(range.lowerBound) } ?? 0)
      let high = max(low + 1, knots.firstIndex { $0.take >= Double(range.upperBound) } ?? knots.count - 1)
      return Stretch(start: range.lowerBound, end: range.upperBound, knots: Array(knots[low...high]))
    }

    /// The stretch moved later in the take by `samples`.
    func moved(by samples: Int64) -> Stretch {
      Stretch(
        start: start + samples, end: end + samples,
        knots: knots.map { Knot(take: $0.take + Double(samples), backup: $0.backup) })
    }

    /// The straight lines for the take's samples in `range`, which lies within the stretch.
    func lines(in range: Range<Int64>) -> [BackupResampler.Line] {
      var lines: [BackupResampler.Line] = []
      var start = range.lowerBound
      while start < range.upperBound {
        let knot = knots.dropLast().first {
          Int64(saturating: $0.take.rounded(.up)) > start && $0.take > (knots.first?.take ?? 0)
        }
        let end = min(range.upperBound, knot.map { Int64(saturating: $0.take.rounded(.up)) } ?? range.upperBound)
        let count = Int(end - start)
        let position = position(of: Double(start))
        // The slope of the line itself: one sample further may lie beyond its knot.
        let step = count > 1 ? (self.position(of: Double(end - 1)) - position) / Double(count - 1) : 1
        lines.append(.init(position: position, step: max(1e-3, step), count: count))
        start = end
      }
      return lines
    }
  }

  /// Sorted by position, without overlaps.
  package var stretches: [Stretch]

  package init(stretches: [Stretch]) {
    self.stretches = stretches
  }

  /// The stretches of the take that the backup covers.
  package var ranges: [Range<Int64>] { stretches.map { $0.start..<max($0.start, $0.end) } }

  /// Number of the take's samples that the backup covers.
  package var covered: Int64 { stretches.reduce(0) { $0 + $1.end - $1.start } }
}
