/// Why bytes are no RTCP; each says what was found, where, and what would be right.
package enum RTCPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The datagram holds no whole packet header.
  case empty(length: Int)
  /// The version field of the packet at `offset` is not 2 (RFC 3550 §6.4.1).
  case wrongVersion(UInt8, offset: Int)
  /// The packet at `offset` announces more bytes than are left.
  case truncated(offset: Int, needed: Int, available: Int)
  /// The padding count is not 4 to the body's length, or padding stands in another than the last packet.
  case wrongPadding(offset: Int)
  /// The body of the packet at `offset` is too short for what its type or count announces.
  case shortBody(payloadType: UInt8, offset: Int, needed: Int, available: Int)

  package var description: String {
    switch self {
    case .empty(let length):
      "RTCP datagram of \(length) bytes: it must hold at least one packet of 4 bytes"
    case .wrongVersion(let version, let offset):
      "RTCP version is \(version) at byte \(offset): it must be 2"
    case .truncated(let offset, let needed, let available):
      "RTCP packet at byte \(offset) announces \(needed) bytes: \(available) are left"
    case .wrongPadding(let offset):
      "RTCP padding at byte \(offset): only the last packet may pad, by a multiple of 4 within its body"
    case .shortBody(let type, let offset, let needed, let available):
      "RTCP packet type \(type) at byte \(offset) needs a body of \(needed) bytes: it has \(available)"
    }
  }
}
