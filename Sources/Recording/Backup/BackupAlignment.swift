/// How a backup lies on a take's time line, and how certain that is.
package struct BackupAlignment: Hashable, Sendable, Codable {
  /// Where the backup's first sample lies, in seconds from the take's zero; negative where it began before.
  package var offset: Double
  /// The backup's clock against the track's, in ppm; positive runs fast.
  package var drift: Double
  /// How much the aligned backup and the track have in common: 1 is the same signal at any level.
  package var correlation: Double
  /// 95 of 100 measured places lie within this of the lines, in milliseconds.
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

/// Why a backup cannot be laid beside its track: a sentence for people.
package enum BackupRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// Less than what can be compared; lengths in seconds.
  case tooShort(take: Double, backup: Double)
  /// The track is silent, or nearly so.
  case silentTrack
  /// The backup is silent, or nearly so.
  case silentBackup
  /// Nothing of it fits: another microphone, or another take.
  case otherAudio(fitting: Int, compared: Int)
  /// The musician was not recorded: they left before, or did not agree to it.
  case noTrack
  /// The musician's track has no file.
  case noSound
  /// Another backup of the track covers more of it; both in seconds.
  case lessThanAnother(covered: Double, other: Double)

  /// What can be compared at least, in seconds.
  static let leastLength = 3.0

  package var description: String {
    switch self {
    case .tooShort(let take, let backup):
      "too short to be aligned: the track has \(BackupRefusal.seconds(take)) s, the backup "
        + "\(BackupRefusal.seconds(backup)) s; both need \(BackupRefusal.seconds(BackupRefusal.leastLength)) s at least"
    case .silentTrack: "the track has too little sound in it to be compared with the backup"
    case .silentBackup: "the backup has too little sound in it where the track has some"
    case .otherAudio(let fitting, let compared):
      "the backup does not fit the track: \(fitting) of \(compared) places that were compared agree; it may be another "
        + "microphone's, or another take's"
    case .noTrack: "the take has no track of this participant, so nothing of theirs is kept"
    case .noSound: "the participant's track has no sound file that a backup could be aligned with"
    case .lessThanAnother(let covered, let other):
      "another backup covers \(BackupRefusal.seconds(other)) s of the track, this one \(BackupRefusal.seconds(covered)) s"
    }
  }

  private static func seconds(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}

/// Where each sample of a take lies in a backup: stretches without a jump, each a line with few and slight bends.
package struct BackupMapping: Hashable, Sendable, Codable {
  /// A place of the take (samples at 48 kHz) and its place in the backup (frames of the backup).
  package struct Knot: Hashable, Sendable, Codable {
    package var take: Double
    package var backup: Double

    package init(take: Double, backup: Double) {
      (self.take, self.backup) = (take, backup)
    }
  }

  /// A stretch of the take that the backup covers.
  package struct Stretch: Hashable, Sendable, Codable {
    /// First sample of the take, and the one after the last.
    package var start: Int64
    package var end: Int64
    /// Two at least, by place; straight lines lie between them, and go on beyond the first and the last.
    package var knots: [Knot]

    package init(start: Int64, end: Int64, knots: [Knot]) {
      (self.start, self.end, self.knots) = (start, end, knots)
    }

    /// The place in the backup of a sample of the take.
    package func position(of sample: Double) -> Double {
      guard let first = knots.first, let last = knots.last, knots.count > 1 else { return 0 }
      let next = knots.firstIndex { $0.take > sample } ?? knots.count - 1
      let right = knots[max(1, next)]
      let left = sample >= last.take ? knots[knots.count - 2] : sample < first.take ? first : knots[max(1, next) - 1]
      return left.backup + (sample - left.take) * (right.backup - left.backup) / (right.take - left.take)
    }

    /// Only the samples in `range`, which lies in the stretch, and the knots that tell of them.
    func part(_ range: Range<Int64>) -> Stretch {
      guard knots.count > 2 else { return Stretch(start: range.lowerBound, end: range.upperBound, knots: knots) }
      let low = min(knots.count - 2, knots.lastIndex { $0.take <= Double(range.lowerBound) } ?? 0)
      let high = max(low + 1, knots.firstIndex { $0.take >= Double(range.upperBound) } ?? knots.count - 1)
      return Stretch(start: range.lowerBound, end: range.upperBound, knots: Array(knots[low...high]))
    }

    /// The same so many samples later in the take.
    func moved(by samples: Int64) -> Stretch {
      Stretch(
        start: start + samples, end: end + samples,
        knots: knots.map { Knot(take: $0.take + Double(samples), backup: $0.backup) })
    }

    /// The straight lines of the take's samples in `range`, which lies in the stretch.
    func lines(in range: Range<Int64>) -> [BackupResampler.Line] {
      var lines: [BackupResampler.Line] = []
      var start = range.lowerBound
      while start < range.upperBound {
        let knot = knots.dropLast().first { Int64($0.take.rounded(.up)) > start && $0.take > (knots.first?.take ?? 0) }
        let end = min(range.upperBound, knot.map { Int64($0.take.rounded(.up)) } ?? range.upperBound)
        let count = Int(end - start)
        let position = position(of: Double(start))
        // The line's own slope; one sample further may lie beyond its knot.
        let step = count > 1 ? (self.position(of: Double(end - 1)) - position) / Double(count - 1) : 1
        lines.append(.init(position: position, step: max(1e-3, step), count: count))
        start = end
      }
      return lines
    }
  }

  /// By place; they do not overlap.
  package var stretches: [Stretch]

  package init(stretches: [Stretch]) {
    self.stretches = stretches
  }

  /// The stretches of the take that the backup covers.
  package var ranges: [Range<Int64>] { stretches.map { $0.start..<max($0.start, $0.end) } }

  /// Samples of the take that the backup covers.
  package var covered: Int64 { stretches.reduce(0) { $0 + $1.end - $1.start } }
}
