/// One participant in one take.
package struct Track: Hashable, Sendable, Codable {
  package var id: TrackID
  package var take: TakeID
  /// Place among the take's tracks, from 1, in the order of arrival.
  package var number: Int
  package var participant: Participant
  package var part: Part?
  /// 1 or 2.
  package var channels: Int
  /// Length in samples; equal for all tracks of a take.
  package var length: SamplePosition?
  /// The finished file's name inside the take's folder.
  package var file: String?
  /// Highest absolute sample of the track in dBFS, nil for silence.
  package var peak: Double?
  /// Integrated loudness in LUFS (EBU R 128), nil where it cannot be told.
  package var loudness: Double?
  package var gaps: [Gap]
  package var alignment: AlignmentReport?

  package init(
    id: TrackID, take: TakeID, number: Int, participant: Participant, part: Part? = nil, channels: Int = 2,
    length: SamplePosition? = nil, file: String? = nil, peak: Double? = nil, loudness: Double? = nil,
    gaps: [Gap] = [], alignment: AlignmentReport? = nil
  ) {
    self.id = id
    self.take = take
    self.number = number
    self.participant = participant
    self.part = part
    self.channels = channels
    self.length = length
    self.file = file
    self.peak = peak
    self.loudness = loudness
    self.gaps = gaps
    self.alignment = alignment
  }
}

/// A stretch of a track for which no audio arrived.
package struct Gap: Hashable, Sendable, Codable {
  /// Why there is a gap.
  package enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
    /// Packets were lost and no retransmission or redundancy brought them back in time.
    case loss
    /// The musician's connection was away.
    case disconnected
    /// The sender's RTP time ran on, or jumped, without packets: the microphone stood still.
    case captureStall
    /// A packet arrived but could not be decoded.
    case undecodable
    /// The recorder could not write (disk full, disk too slow).
    case recorder
  }

  package var start: SamplePosition
  /// In samples.
  package var length: SamplePosition
  package var cause: Cause
  /// True where Opus concealment fills the gap, false where there is silence.
  package var isConcealed: Bool

  package init(start: SamplePosition, length: SamplePosition, cause: Cause, isConcealed: Bool) {
    self.start = start
    self.length = length
    self.cause = cause
    self.isConcealed = isConcealed
  }
}
