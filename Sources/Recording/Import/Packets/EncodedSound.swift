import Foundation
import Glibc
import Machines
import Music

/// A stream of Opus packets with their places in time, as recorders of WebRTC write them: what they heard, undecoded.
///
/// The packets wait in a file without a name, which is gone with this object or its process.
package final class EncodedSound: Sendable {
  struct Packet: Sendable {
    /// Extended sequence number.
    var sequence: Int64
    /// Of its first sample, from the sound's beginning.
    var position: Int64
    /// Where its bytes are in the spool.
    var place: Int64
    /// In samples. Narrow, as there may be millions of packets: 120 ms at most (RFC 6716 section 3.2.5).
    var duration: UInt16
    var size: UInt16
    var isRedundant: Bool

    var end: Int64 { position &+ Int64(duration) }
  }

  /// In order.
  let packets: [Packet]
  let channels: Int
  /// Sequence numbers that are missing.
  let lostPackets: Int64
  private let spool: Descriptor

  fileprivate init(_ packets: [Packet], channels: Int, lostPackets: Int64, spool: Descriptor) {
    (self.packets, self.channels, self.lostPackets, self.spool) = (packets, channels, lostPackets, spool)
  }

  /// In samples at 48 kHz.
  package var length: Int64 { max(0, packets.last?.end ?? 0) }

  func stored(_ index: Int) throws -> StoredPacket {
    let packet = packets[index]
    let bytes = try spool.read(at: packet.place, count: Int(packet.size), path: PacketSpool.label)
    return StoredPacket(
      sequence: packet.sequence, timestamp: packet.position, payload: bytes[...], opus: OpusPacket(bytes.span),
      isRedundant: packet.isRedundant)
  }
}

extension EncodedSound: Hashable {
  package static func == (a: EncodedSound, b: EncodedSound) -> Bool { a === b }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Collects the packets of an `EncodedSound`.
struct PacketSpool {
  /// What the file without a name is called in error messages.
  static let label = "the temporary file of a recording's packets"
  /// Longest sound, in samples: a day. Damaged files have any time stamps.
  static let longest: Int64 = 86_400 * 48_000
  /// Most packets: a day of packets of 20 ms, in 140 MB of memory, and twice that while the list grows.
  private static let mostPackets = 4_320_000
  /// Bytes kept in memory before they are written.
  private static let stretch = 1 << 20

  private let spool: Descriptor
  private var packets: [EncodedSound.Packet] = []
  private var waiting: [UInt8] = []
  private var written: Int64 = 0
  private var isStereo = false

  /// - Parameter folder: the folder for temporary files; nil for the system's.
  /// - Throws: `FileProblem` if it cannot be written.
  init(in folder: String?) throws(FileProblem) {
    let place = folder.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? FileManager.default.temporaryDirectory
    // Hidden: where uploads lie, everything else is one of them.
    let path = place.appendingPathComponent(".jamjar-import-\(UUID().uuidString)").path
    spool = try Descriptor.retrying(path, .create) {
      open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    }.map(Descriptor.init(owning:))
    unlink(path)
  }

  /// The end of the last packet in time, in samples.
  private(set) var end: Int64 = 0

  /// Adds a packet; what is no Opus packet or lies outside a day is left out.
  /// - Throws: `ImportProblem` if there are too many; `FileProblem`.
  mutating func add(
    _ payload: ArraySlice<UInt8>, sequence: Int64, position: Int64, isRedundant: Bool = false
  ) throws {
    guard let opus = OpusPacket(payload.span), let duration = UInt16(exactly: opus.duration),
      let size = UInt16(exactly: payload.count), (-PacketSpool.longest...PacketSpool.longest).contains(position)
    else { return }
    guard packets.count < PacketSpool.mostPackets else {
      throw ImportProblem(
        "a recording has more than \(PacketSpool.mostPackets) packets, a day of music; cut it into parts first")
    }
    packets.append(
      EncodedSound.Packet(
        sequence: sequence, position: position, place: written &+ Int64(waiting.count), duration: duration, size: size,
        isRedundant: isRedundant))
    end = max(end, position &+ Int64(duration))
    if opus.isStereo { isStereo = true }
    waiting += payload
    if waiting.count >= PacketSpool.stretch { try flush() }
  }

  private mutating func flush() throws(FileProblem) {
    let (spool, written) = (spool, written)
    var problem: FileProblem?
    waiting.withUnsafeBytes { bytes in
      do throws(FileProblem) {
        try spool.write(bytes, at: written, path: PacketSpool.label)
      } catch {
        problem = error
      }
    }
    if let problem { throw problem }
    self.written &+= Int64(waiting.count)
    waiting.removeAll(keepingCapacity: true)
  }

  /// The sound; nil without a packet.
  mutating func finish() throws(FileProblem) -> EncodedSound? {
    try flush()
    // Of equal numbers the packet itself comes before copies of it in others.
    packets.sort { ($0.sequence, $0.isRedundant ? 1 : 0) < ($1.sequence, $1.isRedundant ? 1 : 0) }
    var kept = 0
    var lost: Int64 = 0
    // In place: a second list would take as much memory again.
    for index in packets.indices {
      let packet = packets[index]
      if kept > 0 {
        let last = packets[kept &- 1]
        // A copy of a packet before a new beginning of the numbers would lie elsewhere.
        guard packet.sequence != last.sequence, packet.position >= last.position else { continue }
        lost &+= packet.sequence &- last.sequence &- 1
      }
      packets[kept] = packet
      kept &+= 1
    }
    guard kept > 0 else { return nil }
    packets.removeSubrange(kept...)
    defer { packets = [] }
    return EncodedSound(packets, channels: isStereo ? 2 : 1, lostPackets: lost, spool: spool)
  }
}

extension EncodedSound {
  /// What of it is missing, for users; nil if nothing is.
  func note(_ name: String) -> String? {
    lostPackets == 0 ? nil : "\(name) lacks \(lostPackets) packets of \(packets.count), which were concealed"
  }
}
