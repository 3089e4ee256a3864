/// A lossless recording of a take made on a musician's own machine, while Opus went over the network.
package struct Backup: Hashable, Sendable, Codable {
  /// The progress of a backup.
  package enum State: String, Hashable, Sendable, Codable, CaseIterable {
    /// The upload is in progress.
    case receiving
    /// The upload is complete; the take is not finished, or other backups are aligned first.
    case waiting
    case aligning
    /// It has become the lossless version of the track.
    case ready
    /// It is unusable; `problem` contains the reason.
    case refused
    /// Every attempt to align it failed, for a reason in `problem` that is not known to be its own. Its samples are
    /// kept.
    case failed

    /// True for final states.
    package var isOver: Bool { self == .ready || self == .refused || self == .failed }
  }

  /// Supported sample rates, in Hz.
  package static let rates = 8_000...192_000
  /// Bytes per sample: 24 bits, little-endian.
  package static let sampleBytes = 3
  /// Supported numbers of channels.
  package static let channelCounts = 1...2
  /// Longest backup in seconds.
  package static let longest = 6 * 3_600
  /// Permitted start times. A clock that was never set yields 1970, which is accepted: the time is only a hint.
  package static let beginnings = WallTime(milliseconds: 0)...WallTime(milliseconds: 7_258_118_399_999)

  package var id: BackupID
  package var take: TakeID
  package var participant: ParticipantID
  /// In Hz.
  package var sampleRate: Int
  /// 1 or 2.
  package var channels: Int
  /// Capture time of its first sample by the musician's clock; a hint.
  package var startedAt: WallTime?
  /// The capturing device, in the user's words.
  package var device: String?
  package var createdAt: WallTime
  /// Total length in bytes, once it is complete.
  package var bytes: Int64?
  package var state: State
  /// The reason why it is unusable or could not be aligned.
  package var problem: String?
  /// The track that it became part of.
  package var track: TrackID?
  package var report: BackupReport?
  /// SHA-256 of its samples as they were uploaded, in hexadecimal digits; known once it is `ready`.
  package var sha256: String?

  package init(
    id: BackupID, take: TakeID, participant: ParticipantID, sampleRate: Int, channels: Int, startedAt: WallTime? = nil,
    device: String? = nil, createdAt: WallTime, state: State = .receiving
  ) {
    self.id = id
    self.take = take
    self.participant = participant
    self.sampleRate = sampleRate
    self.channels = channels
    self.startedAt = startedAt
    self.device = device
    self.createdAt = createdAt
    self.state = state
  }

  /// Maximum length in bytes: six hours at its rate and number of channels.
  package var limit: Int64 {
    let rate = min(max(sampleRate, Backup.rates.lowerBound), Backup.rates.upperBound)
    let channels = min(max(channels, Backup.channelCounts.lowerBound), Backup.channelCounts.upperBound)
    return Int64(Backup.longest) * Int64(rate) * Int64(channels * Backup.sampleBytes)
  }
}

extension Backup {
  /// Rejects values with which no backup can be aligned. All backups from the network or the disk are checked,
  /// because later calculations rely on these numbers.
  ///
  /// - Throws: `ValueProblem` with the field, its value, and the permitted range.
  package func check() throws(ValueProblem) {
    guard Backup.rates.contains(sampleRate) else {
      throw ValueProblem("sampleRate", "\(sampleRate)", "\(Backup.rates.lowerBound) to \(Backup.rates.upperBound) Hz")
    }
    guard Backup.channelCounts.contains(channels) else { throw ValueProblem("channels", "\(channels)", "1 or 2") }
    if let startedAt, !Backup.beginnings.contains(startedAt) {
      throw ValueProblem(
        "startedAt", "\(startedAt)", "\(Backup.beginnings.lowerBound) to \(Backup.beginnings.upperBound)")
    }
    if let bytes, !(0...limit).contains(bytes) {
      throw ValueProblem("bytes", "\(bytes)", "0 to \(limit), which is six hours of it")
    }
  }
}

/// The alignment of a backup with its take's time line, in figures for users.
package struct BackupReport: Hashable, Sendable, Codable {
  /// Position of its first sample, in seconds from the take's zero.
  package var offset: Double
  /// Rate of its clock relative to the track's, in ppm; positive means fast.
  package var drift: Double
  /// Correlation with the track: 1 for the same signal at any level.
  package var correlation: Double
  /// The 95th percentile of the residuals, in milliseconds.
  package var errorBound: Double
  /// Number of stretches without a jump; each additional one means that samples were lost or repeated.
  package var pieces: Int
  /// Number of the take's samples that it covers.
  package var covered: SamplePosition
  /// Number of the take's samples filled with the track's own sound.
  package var filled: SamplePosition

  package init(
    offset: Double, drift: Double, correlation: Double, errorBound: Double, pieces: Int, covered: SamplePosition,
    filled: SamplePosition
  ) {
    self.offset = offset
    self.drift = drift
    self.correlation = correlation
    self.errorBound = errorBound
    self.pieces = pieces
    self.covered = covered
    self.filled = filled
  }
}
