/// Why a journal cannot be read on; `description` is a sentence for people.
package enum JournalDamage: Error, Hashable, Sendable {
  /// The bytes do not begin like a journal.
  case notAJournal
  /// A newer release wrote it.
  case newerVersion(found: UInt16, supported: UInt16)
  /// The header's checksum or contents are wrong.
  case damagedHeader(String)
  /// The frame at `offset` (bytes from the file's beginning) is torn or altered.
  case damagedFrame(offset: Int64, reason: String)

  /// Where the damage begins, in bytes from the file's beginning.
  package var offset: Int64 {
    switch self {
    case .notAJournal, .newerVersion, .damagedHeader: 0
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
    case .damagedHeader(let reason):
      "the journal's header is damaged: \(reason)"
    case .damagedFrame(let offset, let reason):
      "the journal is damaged at byte \(offset): \(reason)"
    }
  }
}
