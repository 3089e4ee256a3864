/// The constants of the journal's binary format, which `docs/journal.md` describes.
package enum JournalFormat {
  /// The first eight bytes of every journal.
  package static let magic: [UInt8] = Array("JAMJARJ1".utf8)
  /// The version that this release writes; it also reads all older ones.
  package static let version: UInt16 = 1
  /// Bytes before the header's body: magic, version, flags, length of the body.
  static let headerPrefix = 16
  /// Bytes of a checksum.
  static let checksumLength = 4
  /// Largest header body, in bytes.
  static let maximumHeader = 65_536
  /// Largest header including prefix and checksum, in bytes.
  // in range: constants
  static let longestHeader = headerPrefix + maximumHeader + checksumLength
  /// Bytes before a frame's body: checksum, length, kind, flags, track, ordinal, time.
  static let framePrefix = 24
  /// Largest frame body, in bytes: twice the largest datagram, so that a corrupt length cannot request gigabytes.
  package static let maximumBody = 131_072
  /// Longest text in a frame or header, in bytes of UTF-8; longer ones are truncated at a character boundary.
  package static let maximumText = 4_096
  /// Largest step of the ordinal accepted after damage.
  static let maximumOrdinalStep: UInt32 = 1 << 24
}

/// The kind byte of a frame; numbers are never reused.
enum JournalKind: UInt8, CaseIterable {
  case trackOpened = 1
  case streamChanged = 2
  case rtp = 3
  case rtcp = 4
  case clockSample = 5
  case roundTrip = 6
  case playoutDelay = 7
  case path = 8
  case wallClock = 9
  case cue = 10
  case song = 11
  case renamed = 12
  case degraded = 13
  case trackClosed = 14
  case end = 15
  case standstill = 20
  case directTrip = 21
  case talk = 22
  case backing = 23
  case quality = 24
  case ending = 25
  case checkTrip = 26
  case headerRepeated = 32
  case trackRepeated = 33
}

/// The reason why a journal cannot be read further; `description` is a sentence for users.
package enum JournalDamage: Error, Hashable, Sendable {
  /// The file does not begin with the journal's magic bytes.
  case notAJournal
  /// A newer release wrote it.
  case newerVersion(found: UInt16, supported: UInt16)
  /// The file ends before its header does.
  case endsInHeader
  /// The header's checksum or contents are wrong.
  case damagedHeader(String)
  /// The frame at `offset` (bytes from the file's beginning) is torn or altered.
  case damagedFrame(offset: Int64, reason: String)

  /// Offset of the damage, in bytes from the beginning of the file.
  package var offset: Int64 {
    switch self {
    case .notAJournal, .newerVersion, .endsInHeader, .damagedHeader: 0
    case .damagedFrame(let offset, _): offset
    }
  }
}

extension JournalDamage: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notAJournal:
      "this is no Jamjar journal: it does not begin with JAMJARJ1"
    case .newerVersion(let found, let supported):
      "the journal has format version \(found); this release reads up to \(supported), so a newer release is needed"
    case .endsInHeader:
      "the journal ends within its header"
    case .damagedHeader(let reason):
      "the journal's header is damaged: \(reason)"
    case .damagedFrame(let offset, let reason):
      "the journal is damaged at byte \(offset): \(reason)"
    }
  }
}
