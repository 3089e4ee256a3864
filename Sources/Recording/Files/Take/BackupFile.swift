import CLinux
import Glibc
import Music

/// What is known of an upload: `backup-<id>.json` in its take's folder, beside its samples in `backup-<id>.pcm`.
package struct BackupFile: Sidecar, Hashable {
  package static let currentVersion = 1
  private static let prefix = "backup-"
  private static let ending = ".json"

  package var version = BackupFile.currentVersion
  package var backup: Backup

  package init(_ backup: Backup) {
    self.backup = backup
  }

  /// Nothing here: who looks through the backups has to tell people which cannot be used, and why (`Backup.check()`).
  package func check() {}

  package static func name(of backup: BackupID) -> String { "\(prefix)\(backup)\(ending)" }
  package static func samplesName(of backup: BackupID) -> String { "\(prefix)\(backup).pcm" }

  /// The backup whose file `name` is, nil for other files.
  package static func identifier(of name: String) -> BackupID? {
    guard name.hasPrefix(prefix), name.hasSuffix(ending) else { return nil }
    return BackupID(String(name.dropFirst(prefix.count).dropLast(ending.count)))
  }

  /// True for every file of an upload, which is no part of the take.
  package static func isUpload(_ name: String) -> Bool { name.hasPrefix(prefix) }

  /// Writes the file as a whole.
  package func write(in folder: TakeFolder) throws { try write(BackupFile.name(of: backup.id), in: folder) }

  /// Makes the empty file of samples.
  package static func createSamples(of backup: BackupID, in folder: TakeFolder) throws(FileProblem) {
    let name = samplesName(of: backup)
    try folder.create(name).synchronize(path: folder.label(name))
    try folder.synchronize()
  }

  /// Bytes of the samples that are on the disk, and when the last came; nil where there is no file of them.
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

  /// Adds `bytes` to the samples, of which `size` bytes are there; they last through a power loss.
  ///
  /// Where that fails nothing of them stays.
  /// - Throws: `FileProblem`; EINVAL where the file has another length.
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

  /// Removes all files of an upload, what tells of it last.
  package static func remove(_ backup: BackupID, in folder: TakeFolder) throws(FileProblem) {
    try folder.remove(samplesName(of: backup))
    try folder.remove(name(of: backup))
    try folder.synchronize()
  }
}
