/// One participant's track in a take.
package struct Track: Hashable, Sendable, Codable {
  package var id: TrackID
  package var take: TakeID
  /// Number of the track within the take, from 1, in order of arrival.
  package var number: Int
  package var participant: Participant
  package var part: Part?
  /// What the musician's app said of them on joining, for other apps.
  package var meta: String?
  /// 1 or 2.
  package var channels: Int
  /// Length in samples; equal for all tracks of a take.
  package var length: SamplePosition?
  /// The name of the finished file in the take's folder.
  package var file: String?
  /// Highest absolute sample of the track in dBFS; nil for silence.
  package var peak: Double?
  /// Integrated loudness in LUFS (EBU R 128); nil if it cannot be measured.
  package var loudness: Double?
  package var gaps: [Gap]
  package var alignment: AlignmentReport?

  package init(
    id: TrackID, take: TakeID, number: Int, participant: Participant, part: Part? = nil, meta: String? = nil,
    channels: Int = 2, length: SamplePosition? = nil, file: String? = nil, peak: Double? = nil,
    loudness: Double? = nil, gaps: [Gap] = [], alignment: AlignmentReport? = nil
  ) {
    self.id = id
    self.take = take
    self.number = number
    self.participant = participant
    self.part = part
    self.meta = meta
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
  /// The cause of a gap.
  package enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
    /// Packets were lost, and neither retransmission nor redundancy recovered them in time.
    case loss
    /// The musician's connection was down.
    case disconnected
    /// The sender's RTP time advanced or jumped without packets: the microphone stalled.
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
  /// True if Opus concealment fills the gap, false if it is silent.
  package var isConcealed: Bool

  package init(start: SamplePosition, length: SamplePosition, cause: Cause, isConcealed: Bool) {
    self.start = start
    self.length = length
    self.cause = cause
    self.isConcealed = isConcealed
  }
}
