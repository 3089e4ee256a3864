import Machines
import Music

/// One entry of a take's journal; tracks are numbered from 1 in order of opening.
package enum JournalFrame: Hashable, Sendable {
  /// A musician's track begins.
  case trackOpened(track: Int, JournalTrack, at: MonotonicTime)
  /// The musician came back or renegotiated: later packets use these parameters.
  case streamChanged(track: Int, JournalStream, at: MonotonicTime)
  /// A decrypted RTP packet as received, including retransmissions.
  case rtp(track: Int, arrival: MonotonicTime, packet: [UInt8])
  /// A decrypted compound RTCP packet as received.
  case rtcp(track: Int, arrival: MonotonicTime, packet: [UInt8])
  /// A reading of the sender's clock (`senderTime`, in its nanoseconds) over a signaling or data channel.
  case clockSample(track: Int, arrival: MonotonicTime, senderTime: Int64, roundTrip: MonotonicTime.Span)
  /// The round trip of a connectivity check of ours on the media path (RFC 8445 section 2.2).
  case checkTrip(track: Int, arrival: MonotonicTime, MonotonicTime.Span)
  /// The round trip time of the media path, smoothed.
  case roundTrip(track: Int, at: MonotonicTime, MonotonicTime.Span)
  /// The delay with which the musician of `track` hears the track `of`.
  case playoutDelay(track: Int, at: MonotonicTime, of: Int, delay: MonotonicTime.Span)
  /// The round trip of the direct path by which the musician of `track` hears the track `of` (mesh rooms).
  case directTrip(track: Int, at: MonotonicTime, of: Int, MonotonicTime.Span)
  /// The media path went down or came back, which explains gaps.
  case path(track: Int, at: MonotonicTime, isUp: Bool)
  /// An anchor between the monotonic and the wall clock.
  case wallClock(at: MonotonicTime, WallTime)
  /// A mark on the take's time line.
  case cue(at: MonotonicTime, CueID, text: String, author: ParticipantID?)
  /// The song was renamed; nil removes its title.
  case song(at: MonotonicTime, title: String?)
  /// The musician of a track changed their name.
  case renamed(track: Int, at: MonotonicTime, name: DisplayName)
  /// The recorder could not write for a while; `lostBytes` never reached the disk.
  case degraded(at: MonotonicTime, reason: String, lostBytes: Int64)
  /// The recorder stalled for `length` until `at`: its process did not run, or its machine was suspended.
  case standstill(at: MonotonicTime, length: MonotonicTime.Span, isSuspension: Bool)
  /// A repetition of the contents of `trackOpened` and later changes, in case the disk damages the first.
  case trackRepeated(track: Int, JournalTrack, opened: MonotonicTime, at: MonotonicTime)
  /// A repetition of the journal's header, just after the repetitions of the tracks.
  case headerRepeated(JournalHeader, at: MonotonicTime)
  /// Talk of the track's musician begins or ends: heard by the others, and silence in the packets that follow.
  case talk(track: Int, at: MonotonicTime, isOn: Bool)
  /// The room hears a backing track from now on; nil if it hears none any more.
  case backing(at: MonotonicTime, JournalBacking?)
  /// What the connection of the track's musician was like in the seconds before.
  case quality(track: Int, at: MonotonicTime, QualityReading)
  /// The take has been stopped: it ends at `end`, or later if somebody's last packets show more. They are awaited.
  case ending(at: MonotonicTime, end: MonotonicTime)
  /// A musician's track ends.
  case trackClosed(track: Int, at: MonotonicTime)
  /// The take ends.
  case end(at: MonotonicTime, JournalEnd)
}

extension JournalFrame {
  /// Time of the frame on the recorder's monotonic clock.
  package var time: MonotonicTime {
    switch self {
    case .trackOpened(_, _, let time), .streamChanged(_, _, let time), .rtp(_, let time, _), .rtcp(_, let time, _),
      .clockSample(_, let time, _, _), .checkTrip(_, let time, _), .roundTrip(_, let time, _),
      .playoutDelay(_, let time, _, _), .directTrip(_, let time, _, _),
      .path(_, let time, _), .wallClock(let time, _), .cue(let time, _, _, _), .song(let time, _),
      .renamed(_, let time, _), .degraded(let time, _, _), .standstill(let time, _, _),
      .trackRepeated(_, _, _, let time), .talk(_, let time, _), .backing(let time, _), .quality(_, let time, _),
      .headerRepeated(_, let time), .ending(let time, _), .trackClosed(_, let time),
      .end(let time, _):
      time
    }
  }

  /// The track of the frame; nil for frames of the whole take.
  package var track: Int? {
    switch self {
    case .trackOpened(let track, _, _), .streamChanged(let track, _, _), .rtp(let track, _, _), .rtcp(let track, _, _),
      .clockSample(let track, _, _, _), .checkTrip(let track, _, _), .roundTrip(let track, _, _),
      .playoutDelay(let track, _, _, _), .directTrip(let track, _, _, _),
      .path(let track, _, _), .talk(let track, _, _), .quality(let track, _, _), .renamed(let track, _, _),
      .trackRepeated(let track, _, _, _),
      .trackClosed(let track, _):
      track
    case .wallClock, .cue, .song, .degraded, .standstill, .backing, .headerRepeated, .ending, .end:
      nil
    }
  }
}

/// The reason why a take's journal ends.
package enum JournalEnd: UInt8, Hashable, Sendable, CaseIterable {
  /// A user stopped the take.
  case stopped = 1
  /// The take was split, and the next one continues without a break.
  case split = 2
  /// The last musician left.
  case sessionEnded = 3
  /// The service was shut down.
  case shutdown = 4
  /// The process died; the journal was closed at the next start.
  case recovered = 5
  /// The recorder could no longer write (disk full) and closed the take.
  case diskFull = 6
  /// A reason from a newer release that this one does not know.
  case unknown = 255
}

/// The negotiated parameters of a track's RTP stream, needed to read its packets.
package struct JournalStream: Hashable, Sendable, Codable {
  /// RTP timestamp units per second, in Hz; 48,000 for Opus (RFC 7587 section 4.1).
  package var clockRate: Int
  /// The RTP payload type of Opus.
  package var opusPayloadType: UInt8
  /// The RTP payload type of redundant audio (RFC 2198); nil if not negotiated.
  package var redPayloadType: UInt8?
  /// The header extension id of the audio level (RFC 6464); nil if not negotiated.
  package var audioLevelExtension: UInt8?
  /// The header extension id of the absolute capture time; nil if not negotiated.
  package var absoluteCaptureTimeExtension: UInt8?
  /// True if the sender declared stereo (`sprop-stereo`, RFC 7587 section 6.1); nil if it declared nothing.
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

/// The identity of a track, written when the track opens.
package struct JournalTrack: Hashable, Sendable, Codable {
  package var trackID: TrackID
  package var participant: Participant
  package var part: Part?
  /// The origin of the packets, with the codec where the audio was converted: "webrtc", "rtp", "rtmp/aac".
  package var origin: String
  package var stream: JournalStream
  /// What the musician's app said of them on joining.
  package var meta: String?

  package init(
    trackID: TrackID, participant: Participant, part: Part? = nil, meta: String? = nil, origin: String = "webrtc",
    stream: JournalStream
  ) {
    self.trackID = trackID
    self.participant = participant
    self.part = part
    self.meta = meta
    self.origin = origin
    self.stream = stream
  }

  /// The protocol by which the packets came: "webrtc", "rtp", "whip", "rtmp".
  var dialect: String { origin.split(separator: "/", maxSplits: 1).first.map { String($0) } ?? origin }

  /// The codec in which their sender sent: "opus", "aac".
  var codec: String { origin.split(separator: "/", maxSplits: 1).dropFirst().first.map { String($0) } ?? "opus" }

  /// True if the sender tells nothing about its clock: RTMP has media times in milliseconds and no reports.
  var hasSilentClock: Bool { dialect == "rtmp" }
}

/// A backing track as its room hears it.
package struct JournalBacking: Hashable, Sendable {
  package var id: BackingID
  package var title: String
  /// In samples at 48 kHz.
  package var length: Int64
  /// The sample of it that is heard at `starts`.
  package var from: Int64
  package var starts: MonotonicTime

  package init(id: BackingID, title: String, length: Int64, from: Int64, starts: MonotonicTime) {
    self.id = id
    self.title = title
    self.length = length
    self.from = from
    self.starts = starts
  }
}
