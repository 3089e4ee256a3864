import Music

/// Who a track is, as it is written when the track opens.
package struct JournalTrack: Hashable, Sendable {
  package var trackID: TrackID
  package var participant: Participant
  package var part: Part?
  /// Where the packets come from: "webrtc", "rtp", "whip".
  package var origin: String
  package var stream: JournalStream

  package init(
    trackID: TrackID, participant: Participant, part: Part? = nil, origin: String = "webrtc", stream: JournalStream
  ) {
    self.trackID = trackID
    self.participant = participant
    self.part = part
    self.origin = origin
    self.stream = stream
  }
}
