import HTTPTypes
import Music
import Recording
import Signaling
import Synchronization

extension Imports {
  /// Begins an import.
  /// - Throws: `Problem` if there are too many or the disk is nearly full.
  func create(_ job: ImportJob) async throws -> ImportEntry {
    let entry = ImportEntry(job)
    let reached = entries.withLock { entries -> (what: String, limit: Int)? in
      let open = entries.values.count { $0.room == job.room && !$0.job.state.isOver }
      guard open < configuration.perRoom else { return ("unfinished imports of the room", configuration.perRoom) }
      guard entries.count < configuration.capacity else { return ("imports", configuration.capacity) }
      entries[job.id] = entry
      return nil
    }
    if let reached {
      throw Problem(
        .conflict, "too-many", "There are too many",
        "there are \(reached.limit) \(reached.what), the most that there may be; wait for one, or delete one",
        members: ["limit": .integer(Int64(reached.limit))])
    }
    do {
      try await onDisk { [reserve, shelf] in
        try reserve.check(for: 0)
        try DiskReserve.storing { try shelf.create(job) }
      }
    } catch {
      _ = entries.withLock { $0.removeValue(forKey: job.id) }
      await discard(entry)
      throw error
    }
    return entry
  }

  /// Appends bytes to a file; they are on disk when this returns. The last file's last bytes begin the work.
  ///
  /// - Parameter index: of the file in the job.
  /// - Returns: the file as it is then.
  /// - Throws: `Problem` 409 for another offset or a complete file, 413, 507.
  func append(
    _ bytes: [UInt8], _ piece: UploadHeaders, to index: Int, of entry: ImportEntry
  ) async throws -> ImportJob.File {
    let file = try await onDisk { [self] in
      try entry.locked { try store(bytes, piece, to: index, of: entry) }
    }
    if entry.job.state == .queued { wake() }
    return file
  }

  /// Under the entry's lock.
  private func store(
    _ bytes: [UInt8], _ piece: UploadHeaders, to index: Int, of entry: ImportEntry
  ) throws -> ImportJob.File {
    let now = entry.now
    guard !now.isGone, now.job.files.indices.contains(index) else { throw Problem.unknownImport("\(entry.id)") }
    var file = now.job.files[index]
    guard piece.offset == file.received else {
      throw Problem.wrongOffset(piece.offset, received: file.received)
    }
    if file.isComplete {
      // The answer to its last piece was lost.
      guard bytes.isEmpty, piece.isLast else { throw Problem.uploadComplete(received: file.received) }
      return file
    }
    guard Int64(bytes.count) <= configuration.bytes &- now.job.received else {
      throw Problem.tooLarge("the import's files together", limit: Int(configuration.bytes))
    }
    let folder = try TakeFolder(existing: ImportShelf.filesPath(of: entry.id), in: shelf.recordings)
    if !bytes.isEmpty {
      try reserve.check(for: Int64(bytes.count))
      try DiskReserve.storing { try folder.append(bytes, to: file.name, at: file.received) }
      file.received &+= Int64(bytes.count)
      // They are there, whatever becomes of the rest.
      entry.change { [file] in $0.job.files[index] = file }
    }
    if piece.isLast {
      if let time = file.modifiedAt { try folder.date(file.name, time) }
      file.isComplete = true
    }
    var job = now.job
    job.files[index] = file
    job.touchedAt = MonotonicClock.wall
    if job.isComplete { job.state = .queued }
    // What was received is read from the files at the next start; what is complete is not.
    if piece.isLast { try DiskReserve.storing { try shelf.record(job) } }
    entry.change { [job] in $0.job = job }
    return file
  }
}
