/// Why bytes are no RTP packet, or no RED payload; each says what was found and what would be right.
package enum RTPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The packet ends before the part that its own fields announce.
  case truncated(length: Int, needed: Int)
  /// The version field is not 2 (RFC 3550 §5.1).
  case wrongVersion(UInt8)
  /// The padding count is zero or larger than what follows the header (RFC 3550 §5.1).
  case wrongPadding(count: Int, available: Int)
  /// A RED payload ends before its blocks do (RFC 2198 §3).
  case truncatedRedundancy(length: Int, needed: Int)
  /// A RED payload announces more blocks than `RedundantAudio.blockLimit`.
  case tooManyRedundantBlocks(limit: Int)
  /// A RED block cannot be written: longer than 1023 bytes or older than 16383 ticks (RFC 2198 §3).
  case unwritableRedundancy(length: Int, offset: UInt32)

  package var description: String {
    switch self {
    case .truncated(let length, let needed):
      "RTP packet of \(length) bytes is cut short: its header announces at least \(needed)"
    case .wrongVersion(let version):
      "RTP version is \(version): it must be 2"
    case .wrongPadding(let count, let available):
      "RTP padding of \(count) bytes: it must be 1 to \(available)"
    case .truncatedRedundancy(let length, let needed):
      "RED payload of \(length) bytes is cut short: its blocks need \(needed)"
    case .tooManyRedundantBlocks(let limit):
      "RED payload announces too many blocks: at most \(limit) are taken"
    case .unwritableRedundancy(let length, let offset):
      "RED block of \(length) bytes, \(offset) ticks old: at most 1023 bytes and 16383 ticks can be written"
    }
  }
}
