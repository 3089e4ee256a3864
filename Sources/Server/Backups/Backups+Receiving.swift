import Glibc
import HTTPTypes
import Logging
import Music
import NIOPosix
import Recording
import Rooms
import Signaling
import Synchronization

extension Backups {
  /// Begins a backup of a take.
  /// - Throws: `Problem` if there are too many backups or the disk is nearly full.
  func create(_ backup: Backup, of take: Take) async throws -> BackupUpload {
    let upload = BackupUpload(backup, received: 0, touched: backup.createdAt)
    let reached = state.withLock { state -> (what: String, limit: Int)? in
      let ofTake = state.uploads.values.filter { $0.take == take.id }.map(\.now.backup)
      let usable = ofTake.filter { $0.state != .refused }
      guard usable.count(where: { $0.participant == backup.participant }) < configuration.perParticipant else {
        return ("backups of this participant in the take", configuration.perParticipant)
      }
      guard usable.count < configuration.perTake else { return ("backups in the take", configuration.perTake) }
      guard ofTake.count - usable.count < configuration.perTake else {
        return ("refused backups in the take", configuration.perTake)
      }
      state.uploads[backup.id] = upload
      return nil
    }
    if let reached {
      throw Problem(
        .conflict, "too-many", "There are too many",
        "there are \(reached.limit) \(reached.what), the most that there may be; delete one that is not needed",
        members: ["limit": .integer(Int64(reached.limit))])
    }
    do {
      try await NIOThreadPool.singleton.runIfActive { [self] in
        try checkRoom(for: 0)
        let folder = try TakeFolder(existing: take.folder, in: recordings)
        try DiskReserve.storing {
          try BackupFile.createSamples(of: backup.id, in: folder)
          try BackupFile(backup).write(in: folder)
        }
      }
    } catch {
      state.withLock { $0.uploads[backup.id] = nil }
      throw error
    }
    return upload
  }

  /// Appends bytes; they are on disk when this returns.
  ///
  /// - Parameter isLast: whether these bytes complete the upload.
  /// - Returns: the number of bytes received so far.
  /// - Throws: `Problem` 409 for another offset or a backup that is already complete, 413 beyond six hours, 507.
  func append(_ bytes: [UInt8], at offset: Int64, isLast: Bool, to upload: BackupUpload, of take: Take) async throws
    -> BackupUpload.Contents
  {
    let others = uploads(of: take.id).reduce(Int64(0)) { $0 &+ $1.now.received }
    guard Int64(bytes.count) <= configuration.bytesPerTake &- others else {
      throw Problem.tooLarge("the take's backups together", limit: Int(configuration.bytesPerTake))
    }
    let contents = try await NIOThreadPool.singleton.runIfActive { [self] in
      try upload.locked { contents in
        try Backups.check(contents, offset, isMore: !bytes.isEmpty || !isLast)
        guard contents.backup.state == .receiving else { return contents }
        guard Int64(bytes.count) <= contents.backup.limit - contents.received else {
          throw Problem.tooLarge("the backup", limit: Int(contents.backup.limit))
        }
        let folder = try TakeFolder(existing: take.folder, in: recordings)
        if !bytes.isEmpty {
          try checkRoom(for: Int64(bytes.count))
          try DiskReserve.storing {
            try folder.append(bytes, to: BackupFile.samplesName(of: upload.id), at: contents.received)
          }
          contents.received += Int64(bytes.count)
          contents.touched = MonotonicClock.wall
        }
        if isLast {
          var backup = contents.backup
          backup.state = .waiting
          backup.bytes = contents.received
          try DiskReserve.storing { try BackupFile(backup).write(in: folder) }
          contents.backup = backup
        }
        return contents
      }
    }
    if isLast { await look() }
    return contents
  }

  /// Removes the samples of a backup that was aligned.
  func dropOriginal(of upload: BackupUpload) async throws {
    guard let take = try await index.take(upload.take) else { return }
    try await NIOThreadPool.singleton.runIfActive { [self] in
      try upload.locked { contents in
        guard contents.hasOriginal else { return }
        try TakeFolder(existing: take.folder, in: recordings).remove(BackupFile.samplesName(of: upload.id))
        contents.hasOriginal = false
      }
    }
    logger.info("dropped the original of a backup", metadata: ["backup": "\(upload.id)", "take": "\(take.id)"])
  }

  /// Removes a backup and its lossless track.
  func remove(_ upload: BackupUpload) async throws {
    let take = try await index.take(upload.take)
    try await NIOThreadPool.singleton.runIfActive { [self] in
      try upload.locked { contents in
        contents.isGone = true
        if let take, let folder = try? TakeFolder(existing: take.folder, in: recordings) {
          try lists.withLock { _ in try LosslessMaker.remove(upload.id, of: take.id, in: folder) }
          try BackupFile.remove(upload.id, in: folder)
        }
      }
    }
    drop(upload)
  }

  // MARK: Checks

  private static func check(_ contents: BackupUpload.Contents, _ offset: Int64, isMore: Bool) throws(Problem) {
    guard !contents.isGone else { throw Problem.unknownBackup(contents.backup.id.description) }
    if contents.backup.state == .refused {
      throw Problem(
        .conflict, "backup-refused", "The backup was refused", contents.backup.problem ?? "the backup cannot be used")
    }
    guard offset == contents.received else { throw Problem.wrongOffset(offset, received: contents.received) }
    if contents.backup.state != .receiving, isMore { throw Problem.uploadComplete(received: contents.received) }
  }

  /// - Throws: `Problem` 507 if rolling takes would have too little space left.
  func checkRoom(for bytes: Int64) throws {
    try DiskReserve(recordings: recordings, bytes: configuration.reserve).check(for: bytes)
  }
}
