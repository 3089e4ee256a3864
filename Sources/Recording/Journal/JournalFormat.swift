/// The constants of the journal's bytes; `docs/journal.md` describes them for people.
package enum JournalFormat {
  /// The first eight bytes of every journal.
  package static let magic: [UInt8] = Array("JAMJARJ1".utf8)
  /// The version that this release writes; it reads this and every older one.
  package static let version: UInt16 = 1
  /// Bytes before the header's body: magic, version, flags, length of the body.
  static let headerPrefix = 16
  /// Bytes of a checksum.
  static let checksumLength = 4
  /// Largest header body, in bytes.
  static let maximumHeader = 65_536
  /// Largest header with all that belongs to it, in bytes.
  static let longestHeader = headerPrefix + maximumHeader + checksumLength
  /// Bytes before a frame's body: checksum, length, kind, flags, track, ordinal, time.
  static let framePrefix = 24
  /// Largest frame body, in bytes: twice the largest datagram, so that a torn length cannot ask for gigabytes.
  package static let maximumBody = 131_072
  /// Longest text in a frame or header, in bytes of UTF-8; longer ones are cut at a character.
  package static let maximumText = 4_096
  /// Furthest that a frame's ordinal may lie ahead of the last one after damage.
  static let maximumOrdinalStep: UInt32 = 1 << 24
}
