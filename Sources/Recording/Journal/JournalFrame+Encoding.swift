import Machines
import Music

extension JournalFrame {
  /// The kind byte and the body; the prefix of the frame contains track and time.
  var encoded: (kind: JournalKind, body: [UInt8]) {
    var body = JournalSink()
    switch self {
    case .trackOpened(_, let opening, _):
      body.append(opening)
      body.append(later: opening.meta)
      return (.trackOpened, body.bytes)
    case .streamChanged(_, let stream, _):
      body.append(stream)
      return (.streamChanged, body.bytes)
    case .rtp(_, _, let packet):
      return (.rtp, packet)
    case .rtcp(_, _, let packet):
      return (.rtcp, packet)
    case .clockSample(_, _, let senderTime, let roundTrip):
      body.append(senderTime)
      body.append(roundTrip.nanoseconds)
      return (.clockSample, body.bytes)
    case .checkTrip(_, _, let span):
      body.append(span.nanoseconds)
      return (.checkTrip, body.bytes)
    case .roundTrip(_, _, let span):
      body.append(span.nanoseconds)
      return (.roundTrip, body.bytes)
    case .playoutDelay(_, _, let source, let delay):
      body.append(UInt16(clamping: source))
      body.append(delay.nanoseconds)
      return (.playoutDelay, body.bytes)
    case .directTrip(_, _, let source, let span):
      body.append(UInt16(clamping: source))
      body.append(span.nanoseconds)
      return (.directTrip, body.bytes)
    case .path(_, _, let isUp):
      body.append(UInt8(isUp ? 1 : 0))
      return (.path, body.bytes)
    case .wallClock(_, let wall):
      body.append(wall.bitPattern)
      return (.wallClock, body.bytes)
    case .cue(_, let id, let text, let author):
      body.append(id.ulid)
      body.append(text)
      body.append(UInt8(author == nil ? 0 : 1))
      if let author { body.append(author.ulid) }
      return (.cue, body.bytes)
    case .song(_, let title):
      body.append(optional: title)
      return (.song, body.bytes)
    case .renamed(_, _, let name):
      body.append(name.description)
      return (.renamed, body.bytes)
    case .degraded(_, let reason, let lostBytes):
      body.append(reason)
      body.append(lostBytes)
      return (.degraded, body.bytes)
    case .standstill(_, let length, let isSuspension):
      body.append(length.nanoseconds)
      body.append(UInt8(isSuspension ? 1 : 0))
      return (.standstill, body.bytes)
    case .trackRepeated(_, let track, let opened, _):
      body.append(track)
      body.append(opened.nanoseconds)
      body.append(later: track.meta)
      return (.trackRepeated, body.bytes)
    case .headerRepeated(let header, _):
      return (.headerRepeated, header.encoded)
    case .talk(_, _, let isOn):
      body.append(UInt8(isOn ? 1 : 0))
      return (.talk, body.bytes)
    case .backing(_, let backing):
      body.append(UInt8(backing == nil ? 0 : 1))
      if let backing { body.append(backing) }
      return (.backing, body.bytes)
    case .quality(_, _, let reading):
      body.append(reading)
      return (.quality, body.bytes)
    case .ending(_, let end):
      body.append(end.nanoseconds)
      return (.ending, body.bytes)
    case .trackClosed:
      return (.trackClosed, [])
    case .end(_, let reason):
      body.append(reason.rawValue)
      return (.end, body.bytes)
    }
  }
}

extension JournalSink {
  fileprivate mutating func append(_ track: JournalTrack) {
    append(track.trackID.ulid)
    append(track.participant.id.ulid)
    append(track.participant.name.description)
    append(optional: track.part)
    append(track.origin)
    append(track.stream)
  }

  /// Appends a text that came later than its frame's kind: nothing for none, as in older journals.
  fileprivate mutating func append(later text: String?) {
    if let text { append(text) }
  }

  fileprivate mutating func append(_ backing: JournalBacking) {
    append(backing.id.ulid)
    append(backing.length)
    append(backing.from)
    append(backing.starts.nanoseconds)
    append(backing.title)
  }

  fileprivate mutating func append(_ stream: JournalStream) {
    append(UInt32(clamping: stream.clockRate))
    append(stream.opusPayloadType)
    append(optional: stream.redPayloadType)
    append(optional: stream.audioLevelExtension)
    append(optional: stream.absoluteCaptureTimeExtension)
    append(optional: stream.isStereo.map { $0 ? 1 : 0 })
  }
}

/// Appends little-endian numbers and length-prefixed texts to a body.
struct JournalSink {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends an optional number: one byte, 255 for nil (payload types and extension ids are smaller).
  mutating func append(optional value: UInt8?) {
    bytes.append(value ?? JournalSink.absent)
  }

  /// Appends 16 bytes in the order of the ULID specification (most significant first).
  mutating func append(_ ulid: ULID) {
    withUnsafeBytes(of: ulid.high.bigEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: ulid.low.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends two bytes of length, then UTF-8; a text over `JournalFormat.maximumText` is truncated at a character
  /// boundary.
  mutating func append(_ text: String) {
    var utf8 = Array(text.utf8)
    if utf8.count > JournalFormat.maximumText {
      var end = JournalFormat.maximumText
      // Continuation bytes are 10xxxxxx: step back to the first byte of the scalar, which is dropped with the rest.
      while end > 0, utf8[end] & 0xC0 == 0x80 { end -= 1 }
      utf8.removeSubrange(end...)
    }
    append(UInt16(utf8.count))
    bytes.append(contentsOf: utf8)
  }

  /// Appends one byte for the presence of a text, then the text.
  mutating func append(optional text: String?) {
    append(UInt8(text == nil ? 0 : 1))
    if let text { append(text) }
  }

  static let absent: UInt8 = 255
}
