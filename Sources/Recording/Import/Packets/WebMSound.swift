import Machines
import Music

/// The first Opus track of a WebM or Matroska file (RFC 9559), read from its beginning to its end.
///
/// Containers are entered and everything else is passed over, so elements of unknown length (recordings of a browser)
/// need no end.
package struct WebMSound {
  /// Elements with their identifiers (RFC 9559 section 5.1).
  private enum Element {
    static let header: UInt64 = 0x1A45_DFA3
    static let containers: Set<UInt64> = [
      0x1853_8067,  // Segment
      0x1549_A966,  // Info
      0x1654_AE6B,  // Tracks
      trackEntry, cluster,
      0xA0,  // BlockGroup
    ]
    static let trackEntry: UInt64 = 0xAE
    static let cluster: UInt64 = 0x1F43_B675
    static let timestampScale: UInt64 = 0x2AD7B1
    static let trackNumber: UInt64 = 0xD7
    static let codec: UInt64 = 0x86
    static let codecDelay: UInt64 = 0x56AA
    static let encodings: UInt64 = 0x6D80
    static let timestamp: UInt64 = 0xE7
    static let simpleBlock: UInt64 = 0xA3
    static let block: UInt64 = 0xA1
  }

  private struct Entry {
    var number: UInt64 = 0
    var codec = ""
    /// In nanoseconds.
    var delay: UInt64 = 0
    /// True if its blocks are compressed or encrypted.
    var isEncoded = false

    var isOpus: Bool { codec == "A_OPUS" && !isEncoded }
  }

  /// Most tracks of a file: each costs memory, and there could be one for every two bytes.
  private static let mostTracks = 128
  /// Longest block of sound, in bytes: an Opus packet has 61,440 at most.
  private static let longestBlock: UInt64 = 65_536
  /// Time stamps are rounded to milliseconds. Less than this from its predecessor's end, a packet follows at once; in
  /// samples, 10 ms.
  private static let tolerance: Int64 = 480

  package let sound: EncodedSound

  /// - Parameters:
  ///   - name: the file in error messages.
  ///   - temporary: the folder for temporary files; nil for the system's.
  /// - Throws: `ImportProblem`, `FileProblem`.
  package init(_ bytes: SequentialBytes, name: String, temporary: String? = nil) throws {
    var entries: [Entry] = []
    var scale: UInt64 = 1_000_000
    var clusterTime: UInt64 = 0
    var spool = try PacketSpool(in: temporary)
    var sequence: Int64 = 0
    var isFirst = true
    while let identifier = try WebMSound.identifier(bytes), let size = try WebMSound.size(bytes) {
      guard !isFirst || identifier == Element.header else { break }
      isFirst = false
      if Element.containers.contains(identifier) {
        guard identifier == Element.trackEntry else { continue }
        guard entries.count < WebMSound.mostTracks else {
          throw ImportProblem("\(name) has more than \(WebMSound.mostTracks) tracks; it is no recording")
        }
        entries.append(Entry())
        continue
      }
      guard let size else { break }
      let track = entries.indices.last
      switch identifier {
      case Element.timestampScale: scale = try WebMSound.number(bytes, size) ?? scale
      case Element.timestamp: clusterTime = try WebMSound.number(bytes, size) ?? 0
      case Element.trackNumber: if let track { entries[track].number = try WebMSound.number(bytes, size) ?? 0 }
      case Element.codecDelay: if let track { entries[track].delay = try WebMSound.number(bytes, size) ?? 0 }
      case Element.encodings:
        if let track { entries[track].isEncoded = true }
        guard try bytes.skip(size) else { break }
      case Element.codec where size <= 64:
        if let track { entries[track].codec = String(decoding: try bytes.bytes(Int(size)) ?? [], as: UTF8.self) }
      case Element.simpleBlock where size <= WebMSound.longestBlock,
        Element.block where size <= WebMSound.longestBlock:
        guard let block = try bytes.bytes(Int(size)), let chosen = entries.first(where: \.isOpus),
          let frame = WebMSound.frame(block, of: chosen.number)
        else { continue }
        let units = Int64(clamping: clusterTime).addingReportingOverflow(Int64(frame.time)).partialValue
        let seconds = (Double(units) * Double(scale) - Double(chosen.delay)) / 1e9
        // What lies further off is left out; so bounded, the distance cannot overflow.
        let stamp = Int64(saturating: (min(max(seconds, -1e6), 1e6) * Double(SamplePosition.rate)).rounded())
        let isAdjacent = sequence > 0 && abs(stamp &- spool.end) < WebMSound.tolerance
        try spool.add(frame.payload, sequence: sequence, position: isAdjacent ? spool.end : stamp)
        sequence &+= 1
      default: _ = try bytes.skip(size)
      }
    }
    guard let sound = try spool.finish() else {
      guard !isFirst, !entries.isEmpty else { throw ImportProblem("\(name) is no WebM file that can be read") }
      let codecs = entries.map(\.codec).joined(separator: " and ")
      throw ImportProblem(
        entries.contains(where: \.isOpus)
          ? "\(name) has no sound in it"
          : "\(name) has \(codecs), and only Opus is read; turn its sound into WAV by ffmpeg -i FILE.webm FILE.wav")
    }
    self.sound = sound
  }

  /// An identifier with its length mark (RFC 8794 section 5); nil at the end or if it is none.
  private static func identifier(_ bytes: SequentialBytes) throws -> UInt64? {
    guard let first = try bytes.byte(), first >= 0x10, let rest = try bytes.bytes(first.leadingZeroBitCount) else {
      return nil
    }
    return rest.reduce(UInt64(first)) { $0 << 8 | UInt64($1) }
  }

  /// A length (RFC 8794 section 6); `.some(nil)` if it is unknown.
  private static func size(_ bytes: SequentialBytes) throws -> UInt64?? {
    guard let first = try bytes.byte(), first > 0, let rest = try bytes.bytes(first.leadingZeroBitCount) else {
      return nil
    }
    let count = first.leadingZeroBitCount
    let value = rest.reduce(UInt64(first) & (0x7F >> UInt64(count))) { $0 << 8 | UInt64($1) }
    let unknown = (UInt64(1) << UInt64(7 &* (count &+ 1))) &- 1
    return .some(value == unknown ? nil : value)
  }

  private static func number(_ bytes: SequentialBytes, _ size: UInt64) throws -> UInt64? {
    guard size <= 8 else {
      _ = try bytes.skip(size)
      return nil
    }
    return try bytes.number(Int(size))
  }

  /// The frame of a block (RFC 9559 section 10.1), its time within the cluster; nil if it is of another track, or has
  /// several frames, which nobody writes for Opus.
  private static func frame(
    _ block: [UInt8], of track: UInt64
  ) -> (time: Int16, payload: ArraySlice<UInt8>)? {
    guard let first = block.first, first > 0 else { return nil }
    let length = first.leadingZeroBitCount &+ 1
    guard block.count > length &+ 3 else { return nil }
    let number = block[1..<length].reduce(UInt64(first) & (0x7F >> UInt64(length &- 1))) { $0 << 8 | UInt64($1) }
    guard number == track, block[length &+ 2] & 0x06 == 0 else { return nil }
    let time = Int16(bitPattern: UInt16(block[length]) << 8 | UInt16(block[length &+ 1]))
    return (time, block[(length &+ 3)...])
  }
}
