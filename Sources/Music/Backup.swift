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
  /// Longest backup in seconds.
  package static let longest = 6 * 3_600

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

  /// Bytes of one frame: a sample of every channel.
  package var frameBytes: Int { channels * Backup.sampleBytes }
  /// The most bytes that are taken of it.
  package var limit: Int64 { Int64(Backup.longest) * Int64(sampleRate) * Int64(frameBytes) }
}
