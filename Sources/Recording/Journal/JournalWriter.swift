import Machines

/// Encodes frames as the journal's bytes; its owner writes the results of `take()` to the file, in order.
///
/// Packets go straight into a growing buffer, without an allocation per frame.
///
/// ```swift
/// var writer = JournalWriter(header: header)
/// writer.append(rtp: packet, track: 1, arrival: now)
/// try file.append(writer.take())
/// ```
package struct JournalWriter: Sendable {
  private var buffer: [UInt8] = []
  /// The header and track openings to repeat; nil if they were not written here.
  private var state: JournalState?
  /// Checksums of frames are seeded with the header's, so that stale blocks of another journal never look like
  /// frames.
  private let seed: UInt32
  private var ordinal: UInt32
  /// Frames not written because their body was larger than `JournalFormat.maximumBody`.
  package private(set) var refusedFrames = 0

  /// Initial room for 100 ms of three musicians' packets; it grows as needed.
  private static let initialCapacity = 16_384

  /// Starts a journal: the buffer holds the bytes of the header.
  package init(header: JournalHeader) {
    buffer = header.encoded
    state = JournalState(header: header)
    // The last four bytes are the header's checksum.
    seed = buffer.suffix(JournalFormat.checksumLength).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    ordinal = 0
    buffer.reserveCapacity(JournalWriter.initialCapacity)
  }

  /// Continues after the last whole frame seen by `reader` (to close a recovered journal); nil if it has no header.
  ///
  /// The file must be truncated to `reader.goodLength` first.
  package init?(resuming reader: JournalReader) {
    guard let seed = reader.seed else { return nil }
    self.seed = seed
    ordinal = reader.lastOrdinal
  }

  /// Bytes waiting to be taken.
  package var count: Int { buffer.count }

  /// Appends any frame.
  package mutating func append(_ frame: JournalFrame) {
    let (kind, body) = frame.encoded
    body.withUnsafeBytes { append(kind, track: frame.track ?? 0, time: frame.time, body: $0) }
    state?.note(frame)
  }

  /// Repeats the header and the state of the tracks if this is due at `time`, so that damage at any place of the
  /// journal leaves the rest readable. Call it before each `take()`.
  package mutating func repeatState(at time: MonotonicTime) {
    for frame in state?.takeDue(at: time) ?? [] { append(frame) }
  }

  /// Appends a decrypted RTP packet; the fast path.
  package mutating func append(rtp packet: UnsafeRawBufferPointer, track: Int, arrival: MonotonicTime) {
    append(.rtp, track: track, time: arrival, body: packet)
  }

  /// Appends a decrypted RTP packet.
  package mutating func append(rtp packet: [UInt8], track: Int, arrival: MonotonicTime) {
    packet.withUnsafeBytes { append(.rtp, track: track, time: arrival, body: $0) }
  }

  /// Appends a decrypted compound RTCP packet; the fast path.
  package mutating func append(rtcp packet: UnsafeRawBufferPointer, track: Int, arrival: MonotonicTime) {
    append(.rtcp, track: track, time: arrival, body: packet)
  }

  /// Appends a decrypted compound RTCP packet.
  package mutating func append(rtcp packet: [UInt8], track: Int, arrival: MonotonicTime) {
    packet.withUnsafeBytes { append(.rtcp, track: track, time: arrival, body: $0) }
  }

  /// Returns all waiting bytes and starts a new buffer of about the same size.
  package mutating func take() -> [UInt8] {
    let full = buffer
    buffer = []
    buffer.reserveCapacity(max(JournalWriter.initialCapacity, full.count + full.count / 4))
    return full
  }

  private mutating func append(
    _ kind: JournalKind, track: Int, time: MonotonicTime, body: UnsafeRawBufferPointer
  ) {
    guard body.count <= JournalFormat.maximumBody else {
      refusedFrames += 1
      return
    }
    ordinal &+= 1
    let start = buffer.count
    // checksum (4, filled in below), length (4) · kind (1), flags (1), track (2), ordinal (4) · time (8)
    let length = UInt64(body.count) << 32
    let identity =
      UInt64(kind.rawValue) | UInt64(UInt16(clamping: track)) << 16 | UInt64(ordinal) << 32
    let prefix = (length.littleEndian, identity.littleEndian, time.nanoseconds.littleEndian)
    withUnsafeBytes(of: prefix) { buffer.append(contentsOf: $0) }
    buffer.append(contentsOf: body)
    let seed = seed
    buffer.withUnsafeMutableBytes { bytes in
      var sum = CRC32C(seed: seed)
      sum.update(UnsafeRawBufferPointer(rebasing: bytes[(start + JournalFormat.checksumLength)...]))
      bytes.storeBytes(of: sum.value.littleEndian, toByteOffset: start, as: UInt32.self)
    }
  }
}

/// The information needed to read the frames after any point of a journal: the header and each track. Closed tracks
/// are included because they may be reopened.
struct JournalState: Sendable {
  /// Interval between copies, and thus the longest wait for one.
  private static let interval = MonotonicTime.Span.seconds(1)
  /// Delay before a change is repeated: adjacent copies would be damaged together.
  private static let distance = MonotonicTime.Span.milliseconds(250)

  private let header: JournalHeader
  private var tracks: [Int: (track: JournalTrack, opened: MonotonicTime)] = [:]
  private var due: MonotonicTime

  init(header: JournalHeader) {
    self.header = header
    // in range: times saturate
    due = header.zero + JournalState.distance
  }

  mutating func note(_ frame: JournalFrame) {
    switch frame {
    case .trackOpened(let number, let track, let time): tracks[number] = (track, time)
    case .streamChanged(let number, let stream, _): tracks[number]?.track.stream = stream
    default: return
    }
    // in range: times saturate
    due = min(due, frame.time + JournalState.distance)
  }

  /// The copies to write at `time`, the header's last; empty if none are due.
  mutating func takeDue(at time: MonotonicTime) -> [JournalFrame] {
    guard time >= due else { return [] }
    // in range: times saturate
    due = time + JournalState.interval
    return tracks.sorted { $0.key < $1.key }.map { number, entry in
      .trackRepeated(track: number, entry.track, opened: entry.opened, at: time)
    } + [.headerRepeated(header, at: time)]
  }
}
