import Music

/// The metadata of an upload: `backup-<id>.json` in its take's folder, beside its samples in `backup-<id>.pcm`.
package struct BackupFile: Sidecar, Hashable {
  package static let currentVersion = 1
  private static let prefix = "backup-"
  private static let ending = ".json"

  package var version = BackupFile.currentVersion
  package var backup: Backup

  package init(_ backup: Backup) {
    self.backup = backup
  }

  /// No checks here: a listing of backups must show users which of them are unusable and why (`Backup.check()`).
  package func check() {}

  package static func name(of backup: BackupID) -> String { "\(prefix)\(backup)\(ending)" }
  package static func samplesName(of backup: BackupID) -> String { "\(prefix)\(backup).pcm" }
  /// The name of the file that counts attempts to align it.
  package static func attemptsName(of backup: BackupID) -> String { "\(prefix)\(backup).attempts.json" }

  /// The backup to which the file `name` belongs; nil for other files.
  package static func identifier(of name: String) -> BackupID? {
    guard name.hasPrefix(prefix), name.hasSuffix(ending) else { return nil }
    return BackupID(String(name.dropFirst(prefix.count).dropLast(ending.count)))
  }

  /// True for every file of an upload; these are not part of the take.
  package static func isUpload(_ name: String) -> Bool { name.hasPrefix(prefix) }

  /// Writes the file atomically.
  package func write(in folder: TakeFolder) throws { try write(BackupFile.name(of: backup.id), in: folder) }

  /// Creates the empty file for samples.
  package static func createSamples(of backup: BackupID, in folder: TakeFolder) throws(FileProblem) {
    try folder.createEmpty(samplesName(of: backup))
  }

  /// Bytes of samples on the disk, and the time of the last write; nil if the file does not exist.
  package static func samples(
    of backup: BackupID, in folder: TakeFolder
  ) throws(FileProblem) -> (size: Int64, modified: WallTime)? {
    try folder.upload(samplesName(of: backup))
  }

  /// Removes all files of an upload, its metadata last.
  package static func remove(_ backup: BackupID, in folder: TakeFolder) throws(FileProblem) {
    try folder.remove(samplesName(of: backup))
    try folder.remove(attemptsName(of: backup))
    try folder.remove(name(of: backup))
    try folder.synchronize()
  }
}
