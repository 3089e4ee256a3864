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
