import Machines
import Music

extension JournalFrame {
  /// Reads a frame's body.
  ///
  /// - Throws: `JournalBody.Malformed` where a body with a good checksum makes no sense to this release.
  init(
    kind: JournalKind, track: Int, time: MonotonicTime, body bytes: ArraySlice<UInt8>
  ) throws(JournalBody.Malformed) {
    var body = JournalBody(bytes)
    switch kind {
    case .trackOpened:
      self = .trackOpened(track: track, try body.track(), at: time)
    case .streamChanged:
      self = .streamChanged(track: track, try body.stream(), at: time)
    case .rtp:
      self = .rtp(track: track, arrival: time, packet: Array(bytes))
    case .rtcp:
      self = .rtcp(track: track, arrival: time, packet: Array(bytes))
    case .clockSample:
      let senderTime = try body.number(Int64.self)
      self = .clockSample(track: track, arrival: time, senderTime: senderTime, roundTrip: try body.span())
    case .roundTrip:
      self = .roundTrip(track: track, at: time, try body.span())
    case .playoutDelay:
      let source = Int(try body.number(UInt16.self))
      self = .playoutDelay(track: track, at: time, of: source, delay: try body.span())
    case .path:
      self = .path(track: track, at: time, isUp: try body.number(UInt8.self) != 0)
    case .wallClock:
      self = .wallClock(at: time, WallTime(nanoseconds: try body.number(Int64.self)))
    case .cue:
      let id = CueID(try body.ulid())
      let text = try body.text()
      let author = try body.number(UInt8.self) == 0 ? nil : ParticipantID(try body.ulid())
      self = .cue(at: time, id, text: text, author: author)
    case .song:
      self = .song(at: time, title: try body.optionalText())
    case .renamed:
      self = .renamed(track: track, at: time, name: try body.displayName())
    case .degraded:
      let reason = try body.text()
      self = .degraded(at: time, reason: reason, lostBytes: try body.number(Int64.self))
    case .standstill:
      let length = try body.span()
      self = .standstill(at: time, length: length, isSuspension: try body.number(UInt8.self) != 0)
    case .trackRepeated:
      let repeated = try body.track()
      let opened = MonotonicTime(nanoseconds: try body.number(Int64.self))
      self = .trackRepeated(track: track, repeated, opened: opened, at: time)
    case .headerRepeated:
      guard let found = try? JournalHeader.decode(bytes) else {
        throw JournalBody.Malformed(reason: "it holds no whole header")
      }
      self = .headerRepeated(found.header, at: time)
    case .trackClosed:
      self = .trackClosed(track: track, at: time)
    case .end:
      self = .end(at: time, JournalEnd(rawValue: try body.number(UInt8.self)) ?? .unknown)
    }
  }
}

extension JournalBody {
  fileprivate mutating func track() throws(Malformed) -> JournalTrack {
    let id = TrackID(try ulid())
    let participant = ParticipantID(try ulid())
    let name = try displayName()
    let part = try optionalText()
    let origin = try text()
    return JournalTrack(
      trackID: id, participant: Participant(id: participant, name: name), part: part, origin: origin,
      stream: try stream())
  }

  fileprivate mutating func span() throws(Malformed) -> MonotonicTime.Span {
    MonotonicTime.Span(nanoseconds: try number(Int64.self))
  }

  fileprivate mutating func stream() throws(Malformed) -> JournalStream {
    JournalStream(
      clockRate: Int(try number(UInt32.self)), opusPayloadType: try number(UInt8.self),
      redPayloadType: try optionalNumber(), audioLevelExtension: try optionalNumber(),
      absoluteCaptureTimeExtension: try optionalNumber(), isStereo: try optionalNumber().map { $0 != 0 })
  }
}
