import Machines
import Music

/// One entry of a take's journal; tracks are numbered from 1 in the order of their opening.
package enum JournalFrame: Hashable, Sendable {
  /// A musician's track begins.
  case trackOpened(track: Int, JournalTrack, at: MonotonicTime)
  /// The musician came back, or negotiated other numbers: later packets are read by these.
  case streamChanged(track: Int, JournalStream, at: MonotonicTime)
  /// A decrypted RTP packet as it was received, retransmissions too.
  case rtp(track: Int, arrival: MonotonicTime, packet: [UInt8])
  /// A decrypted compound RTCP packet as it was received.
  case rtcp(track: Int, arrival: MonotonicTime, packet: [UInt8])
  /// The sender's clock (`senderTime`, nanoseconds of its own) as told over a signaling or data channel.
  case clockSample(track: Int, arrival: MonotonicTime, senderTime: Int64, roundTrip: MonotonicTime.Span)
  /// The round trip time of the media path.
  case roundTrip(track: Int, at: MonotonicTime, MonotonicTime.Span)
  /// How late the musician of `track` hears the track `of`.
  case playoutDelay(track: Int, at: MonotonicTime, of: Int, delay: MonotonicTime.Span)
  /// The media path went away or came back; tells the causes of gaps.
  case path(track: Int, at: MonotonicTime, isUp: Bool)
  /// An anchor between the monotonic and the wall clock.
  case wallClock(at: MonotonicTime, WallTime)
  /// A mark on the take's time line.
  case cue(at: MonotonicTime, CueID, text: String, author: ParticipantID?)
  /// What is played got another name, or none.
  case song(at: MonotonicTime, title: String?)
  /// The musician of a track goes by another name.
  case renamed(track: Int, at: MonotonicTime, name: DisplayName)
  /// The recorder could not write for a while; `lostBytes` never reached the disk.
  case degraded(at: MonotonicTime, reason: String, lostBytes: Int64)
  /// The recorder stood still for `length` until `at`: its process did not run, or its machine was suspended.
  case standstill(at: MonotonicTime, length: MonotonicTime.Span, isSuspension: Bool)
  /// What `trackOpened` and later changes said of a track, once more: a copy for the case that the disk
  /// damages the first.
  case trackRepeated(track: Int, JournalTrack, opened: MonotonicTime, at: MonotonicTime)
  /// The journal's header once more; the copies of the tracks stand just before it.
  case headerRepeated(JournalHeader, at: MonotonicTime)
  /// A musician's track ends.
  case trackClosed(track: Int, at: MonotonicTime)
  /// The take ends.
  case end(at: MonotonicTime, JournalEnd)
}

extension JournalFrame {
  /// When the frame happened on the recorder's monotonic clock.
  package var time: MonotonicTime {
    switch self {
    case .trackOpened(_, _, let time), .streamChanged(_, _, let time), .rtp(_, let time, _), .rtcp(_, let time, _),
      .clockSample(_, let time, _, _), .roundTrip(_, let time, _), .playoutDelay(_, let time, _, _),
      .path(_, let time, _), .wallClock(let time, _), .cue(let time, _, _, _), .song(let time, _),
      .renamed(_, let time, _), .degraded(let time, _, _), .standstill(let time, _, _),
      .trackRepeated(_, _, _, let time),
      .headerRepeated(_, let time), .trackClosed(_, let time),
      .end(let time, _):
      time
    }
  }

  /// The track that the frame is about, nil for those of the whole take.
  package var track: Int? {
    switch self {
    case .trackOpened(let track, _, _), .streamChanged(let track, _, _), .rtp(let track, _, _), .rtcp(let track, _, _),
      .clockSample(let track, _, _, _), .roundTrip(let track, _, _), .playoutDelay(let track, _, _, _),
      .path(let track, _, _), .renamed(let track, _, _), .trackRepeated(let track, _, _, _),
      .trackClosed(let track, _):
      track
    case .wallClock, .cue, .song, .degraded, .standstill, .headerRepeated, .end:
      nil
    }
  }
}

/// Why a take's journal ends.
package enum JournalEnd: UInt8, Hashable, Sendable, CaseIterable {
  /// Somebody stopped the take.
  case stopped = 1
  /// The take was cut and the next one goes on without a break.
  case split = 2
  /// The last musician left.
  case sessionEnded = 3
  /// The service was told to stop.
  case shutdown = 4
  /// The process died; the journal was closed at the next start.
  case recovered = 5
  /// The recorder could no longer write (disk full) and closed the take.
  case diskFull = 6
  /// A reason that a newer release wrote and this one has no word for.
  case unknown = 255
}

/// What was negotiated for a track's RTP stream: how to read its packets.
package struct JournalStream: Hashable, Sendable {
  /// RTP timestamp units per second, in Hz; 48,000 for Opus (RFC 7587 section 4.1).
  package var clockRate: Int
  /// The RTP payload type of Opus.
  package var opusPayloadType: UInt8
  /// The RTP payload type of redundant audio (RFC 2198), nil where none was negotiated.
  package var redPayloadType: UInt8?
  /// The header extension id of the audio level (RFC 6464), nil where none was negotiated.
  package var audioLevelExtension: UInt8?
  /// The header extension id of the absolute capture time, nil where none was negotiated.
  package var absoluteCaptureTimeExtension: UInt8?
  /// Whether the sender said that it sends stereo (`sprop-stereo`, RFC 7587 section 6.1), nil where it said nothing.
  package var isStereo: Bool?

  package init(
    clockRate: Int = 48_000, opusPayloadType: UInt8, redPayloadType: UInt8? = nil, audioLevelExtension: UInt8? = nil,
    absoluteCaptureTimeExtension: UInt8? = nil, isStereo: Bool? = nil
  ) {
    self.clockRate = clockRate
    self.opusPayloadType = opusPayloadType
    self.redPayloadType = redPayloadType
    self.audioLevelExtension = audioLevelExtension
    self.absoluteCaptureTimeExtension = absoluteCaptureTimeExtension
    self.isStereo = isStereo
  }
}

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
