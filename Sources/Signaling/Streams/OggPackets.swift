// Arithmetic in this file is in range: a page has at most 65,307 bytes.

/// Takes an Ogg stream (RFC 3533) apart into its packets, as its bytes come.
///
/// The stream comes from a program of ours, through a pipe: checksums are not looked at, and what is no page is an error.
package struct OggPackets: Sendable {
  package struct Packet: Hashable, Sendable {
    package var bytes: [UInt8]
    /// The position of its page, if it is the last that ends there.
    package var granule: Int64?
  }

  /// The bytes are no Ogg stream.
  package struct Nonsense: Error, Hashable, CustomStringConvertible {
    package var description: String { "the sound did not come as Ogg" }
  }

  private static let headLength = 27
  private static let granulePlace = 6
  private static let segmentsPlace = 26
  /// Longest packet, in bytes: an Opus packet of the longest duration has 61,298 (RFC 6716 section 3.4).
  private static let longest = 65_536

  private var pending: [UInt8] = []
  /// The beginning of a packet that goes on in the next page.
  private var begun: [UInt8] = []

  package init() {}

  /// The packets that end in `bytes`.
  package mutating func add(_ bytes: some Sequence<UInt8>) throws(Nonsense) -> [Packet] {
    pending.append(contentsOf: bytes)
    var packets: [Packet] = []
    var rest = pending[...]
    while rest.count >= OggPackets.headLength {
      guard rest.starts(with: "OggS".utf8) else { throw Nonsense() }
      let head = Array(rest.prefix(OggPackets.headLength))
      let table = Array(rest.dropFirst(OggPackets.headLength).prefix(Int(head[OggPackets.segmentsPlace])))
      guard table.count == Int(head[OggPackets.segmentsPlace]) else { break }
      let length = table.reduce(0) { $0 + Int($1) }
      var body = rest.dropFirst(OggPackets.headLength + table.count)
      guard body.count >= length else { break }
      let first = packets.count
      for segment in table {
        begun.append(contentsOf: body.prefix(Int(segment)))
        body = body.dropFirst(Int(segment))
        guard begun.count <= OggPackets.longest else { throw Nonsense() }
        guard segment < 255 else { continue }
        packets.append(Packet(bytes: begun, granule: nil))
        begun = []
      }
      if packets.count > first { packets[packets.count - 1].granule = OggPackets.granule(head) }
      rest = body
    }
    pending = Array(rest)
    return packets
  }

  /// Nil for a page on which no packet ends (-1).
  private static func granule(_ head: [UInt8]) -> Int64? {
    let place = head.dropFirst(granulePlace).prefix(8)
    let value = Int64(bitPattern: place.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    return value >= 0 ? value : nil
  }
}
