import CLinux
import Glibc
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
    let name = samplesName(of: backup)
    try folder.create(name).synchronize(path: folder.label(name))
    try folder.synchronize()
  }

  /// Bytes of samples on the disk, and the time of the last write; nil if the file does not exist.
  package static func samples(
    of backup: BackupID, in folder: TakeFolder
  ) throws(FileProblem) -> (size: Int64, modified: WallTime)? {
    let name = samplesName(of: backup)
    do throws(FileProblem) {
      let file = try folder.open(name)
      guard let status = FileStatus(of: file.raw) else {
        throw FileProblem(path: folder.label(name), operation: .examine, code: errno)
      }
      return (status.size, WallTime(milliseconds: status.modified / 1_000_000))
    } catch  where error.isMissing {
      return nil
    }
  }

  /// Appends `bytes` durably to the samples, of which `size` bytes exist.
  ///
  /// On failure, nothing is added.
  /// - Throws: `FileProblem`; EINVAL if the file has another length.
  package static func append(
    _ bytes: UnsafeRawBufferPointer, to backup: BackupID, at size: Int64, in folder: TakeFolder
  ) throws(FileProblem) {
    let name = samplesName(of: backup)
    let path = folder.label(name)
    let file = try folder.open(name, flags: O_RDWR)
    let length = try file.length(path: path)
    guard length == size else {
      throw FileProblem(
        path: path, operation: .write, code: EINVAL, detail: "it has \(length) bytes and should have \(size)")
    }
    do throws(FileProblem) {
      try file.write(bytes, at: size, path: path)
      _ = try Descriptor.retrying(path, .sync) { fdatasync(file.raw) }
    } catch {
      _ = ftruncate(file.raw, off_t(size))
      throw error
    }
  }

  /// Removes all files of an upload, its metadata last.
  package static func remove(_ backup: BackupID, in folder: TakeFolder) throws(FileProblem) {
    try folder.remove(samplesName(of: backup))
    try folder.remove(attemptsName(of: backup))
    try folder.remove(name(of: backup))
    try folder.synchronize()
  }
}
