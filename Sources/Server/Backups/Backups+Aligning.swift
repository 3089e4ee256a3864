import Dispatch
import Logging
import Machines
import Music
import Recording
import Rooms
import Signaling
import Synchronization

/// The work on the alignment thread.
extension Backups {
  /// Pause before an alignment is tried again that found no space, in milliseconds; doubles each time up to an hour.
  private static let firstPause: Int64 = 30_000
  private static let longestPause: Int64 = 3_600_000

  /// Aligns all backups in the queue.
  func work() {
    while let (upload, take) = state.withLock({ state -> (BackupUpload, Take)? in
      state.isStopping || state.queue.isEmpty ? nil : state.queue.removeFirst()
    }) {
      let isOurs = upload.locked { contents in
        guard !contents.isGone, contents.backup.state == .waiting else { return false }
        contents.backup.state = .aligning
        return true
      }
      if isOurs { align(upload, take) }
    }
  }

  private func align(_ upload: BackupUpload, _ take: Take) {
    let began = MonotonicClock.now
    ledger.begin(.backup, upload.id)
    defer { ledger.end(.backup, upload.id) }
    // The backup must fit the final track.
    refinements.wait(for: take.id)
    var attempts: AttemptCount?
    do {
      let folder = try TakeFolder(existing: take.folder, in: recordings)
      let backup = upload.now.backup
      // A lossless file is barely larger than the samples.
      try checkRoom(for: backup.bytes ?? 0)
      let counted = shelf.attempts(at: upload.id, in: folder)
      attempts = counted
      // As for exports.
      if jobs.hasProcesses { try counted.check() } else { try counted.begin() }
      let entry = try entry(of: backup, in: folder) { [self] in
        if upload.now.isGone || state.withLock({ $0.isStopping }) { throw CancellationError() }
      }
      guard let contents = try finish(upload, entry, in: folder) else { return counted.clear() }
      counted.clear()
      logger.info(
        "aligned a backup",
        metadata: [
          "backup": "\(upload.id)", "take": "\(take.id)", "seconds": "\(entry.length.seconds)",
          "took": "\((MonotonicClock.now - began).milliseconds) ms",
        ])
      publish(.backupReady, contents, room: take.room)
    } catch let refusal as BackupRefusal {
      attempts?.clear()
      refuse(upload, take, refusal.description)
    } catch is CancellationError {
      attempts?.end(CancellationError())
      if upload.now.isGone { attempts?.clear() }
      upload.locked { if $0.backup.state == .aligning { $0.backup.state = .waiting } }
    } catch let exhausted as AttemptsExhausted {
      fail(upload, take, exhausted.description)
    } catch {
      if !jobs.hasProcesses {
        attempts?.end(error)
      } else if (error as? any DiskProblem)?.isDiskFull != true {
        attempts?.lost(error)
      }
      retry(upload, take, after: error, attempts?.now.count ?? 0)
    }
  }

  /// Has a backup aligned; leaves no file on failure.
  private func entry(
    of backup: Backup, in folder: TakeFolder, _ proceed: @escaping () throws -> Void
  ) throws -> LosslessTracks.Entry {
    do {
      let result = try jobs.run(.alignment(backup, folder: folder.path)) { _ in try proceed() }
      guard case .aligned(let entry) = result else { throw JobRunner.WrongResult() }
      return entry
    } catch {
      LosslessMaker.removeParts(in: folder)
      throw error
    }
  }

  /// Aligns a backup again after a failure, or gives it up after the last attempt.
  private func retry(_ upload: BackupUpload, _ take: Take, after error: any Error, _ count: Int) {
    // The disk is full, or the take's folder is not there: no fault of the backup's.
    guard count > 0, (error as? any DiskProblem)?.isDiskFull != true else { return postpone(upload, error) }
    guard count < Attempts.limit else {
      return fail(upload, take, AttemptsExhausted(count: count, problem: "\(error)").description)
    }
    let pause = Attempts.pause(after: count)
    upload.locked { contents in
      guard contents.backup.state == .aligning else { return }
      contents.backup.state = .waiting
      contents.retryAt = MonotonicClock.now + .seconds(Int64(pause))
    }
    logger.warning(
      "a backup could not be aligned; it is tried again",
      metadata: ["backup": "\(upload.id)", "attempt": "\(count)", "error": "\(error)"])
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(pause)) { [weak self] in
      self?.enqueue(upload, take)
    }
  }

  /// Gives up a backup of a take without tracks. The next start looks whether it has some by then.
  func noteFailure(of take: Take, _ upload: BackupUpload) {
    fail(upload, take, "the take could not be rendered, so there is no track that the backup could be fitted to")
  }

  /// Gives up a backup that cannot be aligned; its samples are kept for another release.
  private func fail(_ upload: BackupUpload, _ take: Take, _ problem: String) {
    let contents = upload.locked { contents -> BackupUpload.Contents? in
      guard !contents.isGone, !contents.backup.state.isOver else { return nil }
      (contents.backup.state, contents.backup.problem) = (.failed, problem)
      if let folder = try? TakeFolder(existing: take.folder, in: recordings) {
        // If the state cannot be written, the count of attempts says the same to the next process.
        try? BackupFile(contents.backup).write(in: folder)
      }
      return contents
    }
    guard let contents else { return }
    logger.error(
      "a backup cannot be aligned; its samples are kept",
      metadata: ["backup": "\(upload.id)", "take": "\(take.id)", "error": "\(problem)"])
    publish(.backupFailed, contents, room: take.room)
  }

  /// Enters the lossless track into the take's list, and removes the samples if originals are not kept; nil if the backup was removed meanwhile.
  private func finish(
    _ upload: BackupUpload, _ entry: LosslessTracks.Entry, in folder: TakeFolder
  ) throws -> BackupUpload.Contents? {
    let (contents, former) = try upload.locked { contents -> (BackupUpload.Contents?, BackupID?) in
      guard !contents.isGone else {
        try folder.remove(entry.sound.name)
        try folder.remove(entry.peaks.name)
        return (nil, nil)
      }
      let former = try lists.withLock { _ in try LosslessMaker.enter(entry, of: upload.take, in: folder) }
      var backup = contents.backup
      (backup.state, backup.track, backup.report) = (.ready, entry.track, entry.report)
      backup.sha256 = entry.original
      // Write the state first: without its samples the backup must not be tried again.
      try BackupFile(backup).write(in: folder)
      contents.hasOriginal = configuration.originals > 0
      if !contents.hasOriginal { try folder.remove(BackupFile.samplesName(of: upload.id)) }
      contents.backup = backup
      return (contents, former)
    }
    if let former, let other = self.upload(former) {
      try other.locked { contents in
        // Removed meanwhile: its file must not come back.
        guard !contents.isGone else { return }
        contents.backup.state = .refused
        contents.backup.problem = "another backup (\(upload.id)) covers more of the track and took its place"
        (contents.backup.track, contents.backup.report) = (nil, nil)
        try BackupFile(contents.backup).write(in: folder)
      }
    }
    return contents
  }

  /// Says why a backup cannot be used and removes its samples.
  private func refuse(_ upload: BackupUpload, _ take: Take, _ problem: String) {
    let contents = upload.locked { contents -> BackupUpload.Contents? in
      guard !contents.isGone else { return nil }
      contents.backup.state = .refused
      contents.backup.problem = problem
      if let folder = try? TakeFolder(existing: take.folder, in: recordings) {
        // If the state cannot be written, the next process refuses the backup again; remaining samples are dropped in
        // time.
        try? BackupFile(contents.backup).write(in: folder)
        try? folder.remove(BackupFile.samplesName(of: upload.id))
      }
      return contents
    }
    guard let contents else { return }
    logger.notice("refused a backup", metadata: ["backup": "\(upload.id)", "why": "\(problem)"])
    publish(.backupRefused, contents, room: take.room)
  }

  /// Handles a failure that is not the backup's fault: a full disk, files that were just replaced.
  private func postpone(_ upload: BackupUpload, _ error: any Error) {
    upload.locked { contents in
      guard contents.backup.state == .aligning else { return }
      contents.backup.state = .waiting
      let pause = min(Backups.longestPause, Backups.firstPause << min(contents.failures, 10))
      contents.failures += 1
      contents.retryAt = MonotonicClock.now + .milliseconds(pause)
    }
    logger.error(
      "a backup could not be aligned; it is tried again",
      metadata: ["backup": "\(upload.id)", "error": "\(error)"])
  }
}
