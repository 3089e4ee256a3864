import Machines

/// Turns frames into the journal's bytes; whoever owns it writes what `take()` hands over to the file, in order.
///
/// Packets go straight into a growing buffer: no allocation per frame.
package struct JournalWriter: Sendable {
  private var buffer: [UInt8] = []
  /// What stands at the journal's beginning and in its openings, and is repeated; nil where it was not written here.
  private var state: JournalState?
  /// Every frame's checksum begins from the header's, so that old blocks of another journal never look like frames.
  private let seed: UInt32
  private var ordinal: UInt32
  /// Frames that were not written because their body was larger than `JournalFormat.maximumBody`.
  package private(set) var refusedFrames = 0

  /// Room for 100 ms of three musicians' packets at the outset; it grows to what a take needs.
  private static let initialCapacity = 16_384

  /// Begins a journal: the buffer holds the header's bytes.
  package init(header: JournalHeader) {
    buffer = header.encoded
    state = JournalState(header: header)
    // The last four bytes are the header's checksum.
    seed = buffer.suffix(JournalFormat.checksumLength).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    ordinal = 0
    buffer.reserveCapacity(JournalWriter.initialCapacity)
  }

  /// Goes on behind the last whole frame that `reader` saw (to close a recovered journal), nil before the header.
  ///
  /// The file must be cut to `reader.goodLength` first.
  package init?(resuming reader: JournalReader) {
    guard let seed = reader.seed else { return nil }
    self.seed = seed
    ordinal = reader.lastOrdinal
  }

  /// Bytes that wait to be taken.
  package var count: Int { buffer.count }

  /// Appends any frame.
  package mutating func append(_ frame: JournalFrame) {
    let (kind, body) = frame.encoded
    body.withUnsafeBytes { append(kind, track: frame.track ?? 0, time: frame.time, body: $0) }
    state?.note(frame)
  }

  /// Repeats the header and what is said of the tracks, where that is due at `time`: a disk may damage any place of
  /// the journal, and none must be needed to read the others. To be called whenever bytes are about to be taken.
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

  /// Hands over everything that waits and begins a new buffer of about the same size.
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

/// What a journal's reader must know beforehand to understand the frames of a moment: the header, and each track, closed ones too:
/// they may be taken up again.
struct JournalState: Sendable {
  /// Times between two copies: nobody waits longer for one.
  private static let interval = MonotonicTime.Span.seconds(1)
  /// A change is repeated after this time: not at once, because what damages the one would damage the other.
  private static let distance = MonotonicTime.Span.milliseconds(250)

  private let header: JournalHeader
  private var tracks: [Int: (track: JournalTrack, opened: MonotonicTime)] = [:]
  private var due: MonotonicTime

  init(header: JournalHeader) {
    self.header = header
    due = header.zero + JournalState.distance
  }

  mutating func note(_ frame: JournalFrame) {
    switch frame {
    case .trackOpened(let number, let track, let time): tracks[number] = (track, time)
    case .streamChanged(let number, let stream, _): tracks[number]?.track.stream = stream
    default: return
    }
    due = min(due, frame.time + JournalState.distance)
  }

  /// The copies to write at `time`, the header's last; nothing where none are due.
  mutating func takeDue(at time: MonotonicTime) -> [JournalFrame] {
    guard time >= due else { return [] }
    due = time + JournalState.interval
    return tracks.sorted { $0.key < $1.key }.map { number, entry in
      .trackRepeated(track: number, entry.track, opened: entry.opened, at: time)
    } + [.headerRepeated(header, at: time)]
  }
}
