import Machines
import Music

extension JournalFrame {
  /// Decodes a frame's body.
  ///
  /// - Throws: `JournalBody.Malformed` if this release cannot interpret a body with a correct checksum.
  init(
    kind: JournalKind, track: Int, time: MonotonicTime, body bytes: ArraySlice<UInt8>
  ) throws(JournalBody.Malformed) {
    var body = JournalBody(bytes)
    switch kind {
    case .trackOpened:
      var opening = try body.track()
      opening.meta = try body.laterText()
      self = .trackOpened(track: track, opening, at: time)
    case .streamChanged:
      self = .streamChanged(track: track, try body.stream(), at: time)
    case .rtp:
      self = .rtp(track: track, arrival: time, packet: Array(bytes))
    case .rtcp:
      self = .rtcp(track: track, arrival: time, packet: Array(bytes))
    case .clockSample:
      let senderTime = try body.number(Int64.self)
      self = .clockSample(track: track, arrival: time, senderTime: senderTime, roundTrip: try body.span())
    case .checkTrip:
      self = .checkTrip(track: track, arrival: time, try body.span())
    case .roundTrip:
      self = .roundTrip(track: track, at: time, try body.span())
    case .playoutDelay:
      let source = Int(try body.number(UInt16.self))
      self = .playoutDelay(track: track, at: time, of: source, delay: try body.span())
    case .directTrip:
      let source = Int(try body.number(UInt16.self))
      self = .directTrip(track: track, at: time, of: source, try body.span())
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
      var repeated = try body.track()
      let opened = MonotonicTime(nanoseconds: try body.number(Int64.self))
      repeated.meta = try body.laterText()
      self = .trackRepeated(track: track, repeated, opened: opened, at: time)
    case .headerRepeated:
      guard let found = try? JournalHeader.decode(bytes) else {
        throw JournalBody.Malformed(reason: "it does not contain a complete header")
      }
      self = .headerRepeated(found.header, at: time)
    case .talk:
      self = .talk(track: track, at: time, isOn: try body.number(UInt8.self) != 0)
    case .backing:
      self = .backing(at: time, try body.number(UInt8.self) == 0 ? nil : try body.backing())
    case .quality:
      self = .quality(track: track, at: time, try body.quality())
    case .ending:
      self = .ending(at: time, end: MonotonicTime(nanoseconds: try body.number(Int64.self)))
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

  fileprivate mutating func backing() throws(Malformed) -> JournalBacking {
    let id = BackingID(try ulid())
    let (length, from) = (try number(Int64.self), try number(Int64.self))
    let permitted = 0...SamplePosition.permitted.upperBound
    guard permitted.contains(length), permitted.contains(from) else {
      throw Malformed(reason: "a backing track has \(length) samples, heard from \(from) on")
    }
    let starts = MonotonicTime(nanoseconds: try number(Int64.self))
    return JournalBacking(id: id, title: try text(), length: length, from: from, starts: starts)
  }

  fileprivate mutating func stream() throws(Malformed) -> JournalStream {
    JournalStream(
      clockRate: Int(try number(UInt32.self)), opusPayloadType: try number(UInt8.self),
      redPayloadType: try optionalNumber(), audioLevelExtension: try optionalNumber(),
      absoluteCaptureTimeExtension: try optionalNumber(), isStereo: try optionalNumber().map { $0 != 0 })
  }
}

/// A cursor over the bytes of a body. Every read is checked; extra bytes at the end, from a newer release, are
/// ignored.
struct JournalBody {
  /// A body that ends too early or holds an impossible value.
  struct Malformed: Error, Hashable {
    var reason: String
  }

  private var bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  /// True if no bytes are left, which also marks the shorter body of an older release.
  var isAtEnd: Bool { bytes.isEmpty }

  mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
    guard count <= bytes.count else {
      throw Malformed(reason: "\(count) bytes were expected, but \(bytes.count) are left")
    }
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }

  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) throws(Malformed) -> Number {
    var value: Number = 0
    for (index, byte) in try take(MemoryLayout<Number>.size).enumerated() {
      value |= Number(truncatingIfNeeded: byte) &<< Number(truncatingIfNeeded: index * 8)
    }
    return value
  }

  mutating func optionalNumber() throws(Malformed) -> UInt8? {
    let value = try number(UInt8.self)
    return value == JournalSink.absent ? nil : value
  }

  mutating func ulid() throws(Malformed) -> ULID {
    let high = try number(UInt64.self).byteSwapped
    return ULID(high: high, low: try number(UInt64.self).byteSwapped)
  }

  mutating func text() throws(Malformed) -> String {
    String(decoding: try take(Int(try number(UInt16.self))), as: UTF8.self)
  }

  /// A text that older releases did not write; nil if it is not there.
  mutating func laterText() throws(Malformed) -> String? { isAtEnd ? nil : try text() }

  mutating func optionalText() throws(Malformed) -> String? {
    try number(UInt8.self) == 0 ? nil : try text()
  }

  /// Reads a display name; a name that today's rules refuse is reduced to its letters and digits, since the rules may
  /// have been different when the journal was written.
  mutating func displayName() throws(Malformed) -> DisplayName {
    let text = try text()
    if let name = DisplayName(text) ?? DisplayName(JournalBody.plain(text)) ?? DisplayName("unnamed") { return name }
    throw Malformed(reason: "\"\(text)\" is not a valid display name")
  }

  mutating func roomName() throws(Malformed) -> RoomName {
    let text = try text()
    if let name = RoomName(text) ?? RoomName(JournalBody.plain(text)) ?? RoomName("unnamed") { return name }
    throw Malformed(reason: "\"\(text)\" is not a valid room name")
  }

  private static func plain(_ text: String) -> String {
    String(text.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(64))
  }
}
