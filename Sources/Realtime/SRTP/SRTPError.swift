/// The reason why a packet was not protected or decrypted.
package enum SRTPError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Shorter than a header and a tag, or with inner lengths beyond its end; the length in bytes.
  case malformed(length: Int)
  /// Longer than `SRTPContext.longestPacket`; the length in bytes.
  case oversized(length: Int)
  /// The tag does not match the key: another key, or a modified packet.
  case notAuthentic
  /// Already received.
  case replayed
  /// Older than the replay window, so a replay cannot be excluded.
  case tooOld
  /// An RTCP compound without the E flag, in counter mode.
  case unencrypted
  /// The key has protected as many packets as it may (RFC 3711 section 9.2).
  case exhausted
  /// OpenSSL refused, for want of memory.
  case library

  package var description: String {
    switch self {
    case .malformed(let length): "a packet of \(length) bytes is too short or its header reaches beyond its end"
    case .oversized(let length):
      "a packet of \(length) bytes is too long; at most \(SRTPContext.longestPacket) are taken"
    case .notAuthentic: "the authentication tag is wrong: another key, or a modified packet"
    case .replayed: "the packet was seen before"
    case .tooOld: "the packet is older than the replay window of \(SRTPContext.replayWindow) packets"
    case .unencrypted: "the compound is not encrypted"
    case .exhausted: "the key has protected as many packets as it may"
    case .library: "OpenSSL refused the operation"
    }
  }
}
