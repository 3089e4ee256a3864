import Machines
import Music
import Recording

/// The secret of a share's link: the take's identifier and 128 random bits, as 43 characters of base64url.
///
/// The identifier finds the take without an index of links; it opens nothing. Only the hash of the whole is kept.
package struct ShareSecret: Hashable, Sendable {
  private static let randomCount = 16
  private static let takeCount = 16

  package let take: TakeID
  package let text: String

  /// Makes a new one, by the system's random numbers.
  package init(for take: TakeID) {
    let random = (0..<ShareSecret.randomCount).map { _ in UInt8.random(in: .min ... .max) }
    self.take = take
    text = Base64.url.encode(ShareSecret.bytes(take.ulid.high) + ShareSecret.bytes(take.ulid.low) + random)
  }

  /// Nil for a text that no link has.
  init?(_ text: String) {
    guard text.utf8.count == 43, let bytes = Base64.url.decode(text[...]),
      bytes.count == ShareSecret.takeCount + ShareSecret.randomCount
    else { return nil }
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    take = TakeID(ULID(high: number(bytes[0..<8]), low: number(bytes[8..<16])))
    self.text = text
  }

  /// What is kept of it.
  package var hash: [UInt8] { SHA256.hash(Array(text.utf8)) }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
  }
}
