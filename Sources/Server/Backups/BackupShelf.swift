import Music
import Recording
import Rooms

/// The files of backups in the folders of takes. Blocks on the disk.
struct BackupShelf: Sendable {
  /// The data folder.
  let recordings: String

  /// Every backup of every take, also of those in the trash; what cannot be read is passed by.
  func sweep() throws -> [BackupUpload] {
    var paths = Set(try TakeFolder.journals(under: recordings)).union(try TakeFolder.manifests(under: recordings))
    for name in (try? TakeFolder(existing: Library.trash, in: recordings).names()) ?? [] {
      paths.insert("\(Library.trash)/\(name)")
    }
    return paths.sorted().flatMap { (try? uploads(in: TakeFolder(existing: $0, in: recordings))) ?? [] }
  }

  private func uploads(in folder: TakeFolder) throws -> [BackupUpload] {
    try folder.names().compactMap { name in
      guard let id = BackupFile.identifier(of: name),
        var backup = (try? BackupFile.read(name, in: folder))?.backup, backup.id == id
      else { return nil }
      let samples = try BackupFile.samples(of: id, in: folder)
      // A process ended while it was aligned.
      if backup.state == .aligning { backup.state = .waiting }
      if samples == nil, !backup.state.isOver {
        backup.state = .refused
        backup.problem = "its samples are gone from the disk; send it again"
      }
      let received = samples?.size ?? (backup.state == .ready ? backup.bytes ?? 0 : 0)
      // Written by an older release, which took what this one does not, or by a stranger's hand.
      if !backup.state.isOver {
        do {
          try backup.check()
          if let size = samples?.size, size > backup.limit {
            throw ValueProblem("its samples", "\(size) bytes", "up to \(backup.limit) bytes, which is six hours")
          }
        } catch {
          backup.state = .refused
          backup.problem = "\(error)"
        }
        // The sentence has what the file says; clients are promised 1 or 2.
        let counts = Backup.channelCounts
        backup.channels = min(max(backup.channels, counts.lowerBound), counts.upperBound)
      }
      return BackupUpload(backup, received: received, touched: samples?.modified ?? backup.createdAt)
    }
  }

  /// Bytes that may still be written.
  func room() throws(FileProblem) -> Int64 { try DiskSpace(at: recordings).available }
}
