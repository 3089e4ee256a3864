/// What a musician's own machine kept of a take, without loss, while Opus went over the network.
package struct Backup: Hashable, Sendable, Codable {
  /// How far it has come.
  package enum State: String, Hashable, Sendable, Codable, CaseIterable {
    /// Bytes still come.
    case receiving
    /// Everything is there; the take is not finished, or others are aligned first.
    case waiting
    case aligning
    /// The track has a lossless version.
    case ready
    /// It cannot be used; `problem` says why.
    case refused

    /// True where nothing more will happen to it.
    package var isOver: Bool { self == .ready || self == .refused }
  }

  /// Rates that are taken, in Hz.
  package static let rates = 8_000...192_000
  /// Bytes of a sample: 24 bits, little-endian.
  package static let sampleBytes = 3
  /// Channels that are taken.
  package static let channelCounts = 1...2
  /// Longest backup in seconds.
  package static let longest = 6 * 3_600
  /// When a backup may say that it began. A clock that was never set says 1970, and is taken: it is a hint.
  package static let beginnings = WallTime(milliseconds: 0)...WallTime(milliseconds: 7_258_118_399_999)

  package var id: BackupID
  package var take: TakeID
  package var participant: ParticipantID
  /// In Hz.
  package var sampleRate: Int
  /// 1 or 2.
  package var channels: Int
  /// When its first sample was captured by the musician's clock; a hint.
  package var startedAt: WallTime?
  /// What captured it, in people's words.
  package var device: String?
  package var createdAt: WallTime
  /// All of its bytes, once it is complete.
  package var bytes: Int64?
  package var state: State
  /// Why it cannot be used.
  package var problem: String?
  /// The track that it became part of.
  package var track: TrackID?
  package var report: BackupReport?

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

  /// The most bytes that are taken of it: six hours, at a rate and with channels that are taken.
  package var limit: Int64 {
    let rate = min(max(sampleRate, Backup.rates.lowerBound), Backup.rates.upperBound)
    let channels = min(max(channels, Backup.channelCounts.lowerBound), Backup.channelCounts.upperBound)
    return Int64(Backup.longest) * Int64(rate) * Int64(channels * Backup.sampleBytes)
  }
}

extension Backup {
  /// What no backup can be aligned with. It is asked of everything that comes, over the network and from the disk: what
  /// follows calculates with these numbers.
  ///
  /// - Throws: `ValueProblem` that names the field, its value, and what is permitted.
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

/// How a backup lies on its take's time line, in figures for people.
package struct BackupReport: Hashable, Sendable, Codable {
  /// Where its first sample lies, in seconds from the take's zero.
  package var offset: Double
  /// Its clock against the track's, in ppm; positive runs fast.
  package var drift: Double
  /// What it has in common with the track: 1 is the same signal at any level.
  package var correlation: Double
  /// 95 of 100 measured places lie within this, in milliseconds.
  package var errorBound: Double
  /// Stretches without a jump; each further one tells of samples that were lost, or came twice.
  package var pieces: Int
  /// Samples of the take that it covers.
  package var covered: SamplePosition
  /// Samples of the take in which the track's own sound stands in.
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
