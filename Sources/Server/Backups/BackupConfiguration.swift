/// How backups are received and kept.
package struct BackupConfiguration: Hashable, Sendable {
  /// Bytes that stay free on the disk: takes that roll come first.
  package var reserve: Int64
  /// Backups of one participant in one take.
  package var perParticipant = 4
  /// How long an upload that does not go on is kept, and what is told of a refused one, in milliseconds: 14 days.
  package var patience: Int64 = 14 * 86_400_000

  package init(reserve: Int64 = 1 << 30) {
    self.reserve = reserve
  }
}
