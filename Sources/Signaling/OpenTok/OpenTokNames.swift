import Music

/// The id of a connection: of a member of a room, by whatever dialect, for one stay.
package struct OpenTokConnectionID: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  /// - Parameter stay: how often this participant was here before.
  package init(of participant: ParticipantID, stay: Int = 0) {
    description = OpenTokUUID.text(of: participant, stay, salt: 0)
  }

  /// An id as somebody names it; nil unless it could be one.
  package init?(_ text: String) {
    guard OpenTokUUID.isOne(text) else { return nil }
    description = text.lowercased()
  }
}

/// The id of a stream: of a publication, by whatever dialect. A musician who publishes again has another one.
package struct OpenTokStreamID: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  /// - Parameter publication: how often this participant has published before.
  package init(of participant: ParticipantID, publication: Int = 0) {
    description = OpenTokUUID.text(of: participant, publication, salt: 0xA5A5_5A5A_C3C3_3C3C)
  }

  /// An id as somebody names it; nil unless it could be one.
  package init?(_ text: String) {
    guard OpenTokUUID.isOne(text) else { return nil }
    description = text.lowercased()
  }
}

/// A participant's identifier as a UUID (RFC 9562 section 5.8: version 8, of one's own making).
private enum OpenTokUUID {
  static func text(of participant: ParticipantID, _ number: Int, salt: UInt64) -> String {
    let ulid = participant.ulid
    // An odd factor is a bijection: two numbers never have one id.
    let low = (ulid.low &+ UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15) ^ salt
    // The version and the variant displace six of the 80 random bits.
    let high = ulid.high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000
    let variant = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let digits = hex(high) + hex(variant)
    let cuts = [(0, 8), (8, 4), (12, 4), (16, 4), (20, 12)]
    return cuts.map { start, count in String(digits.dropFirst(start).prefix(count)) }.joined(separator: "-")
  }

  static func isOne(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts.allSatisfy { $0.utf8.allSatisfy(isDigit) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }

  private static func hex(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    // in range: 64 bits have 16 digits at most
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
