import Dispatch
import Library
import Logging
import Machines
import Music
import Recording
import Rooms
import Synchronization

/// The takes of an import whose files are there.
extension Imports {
  func make(_ entry: ImportEntry) async {
    let isOurs = entry.change { contents in
      guard !contents.isGone, contents.job.state == .queued else { return false }
      (contents.job.state, contents.job.problem, contents.retryAt) = (.running, nil, nil)
      return true
    }
    guard isOurs else { return }
    ledger.begin(.importing, entry.id)
    defer { ledger.end(.importing, entry.id) }
    do {
      let attempts = try await onDisk { [shelf] in try shelf.attempts(at: entry.id) }
      do {
        // As for exports: a process that is lost is counted then, other work before it begins.
        try await onDisk { [jobs, reserve] in
          try reserve.protect()
          if jobs.hasProcesses { try attempts.check() } else { try attempts.begin() }
        }
        try await carryOut(entry)
        await end(entry, .done)
      } catch let loss as WorkerProcess.Loss {
        let count = try await onDisk {
          attempts.lost(loss)
          return attempts.now.count
        }
        guard count < Attempts.limit else {
          throw AttemptsExhausted(count: Attempts.limit, problem: loss.description)
        }
        await retry(entry, after: loss, count)
      } catch {
        try await onDisk { attempts.end(error) }
        throw error
      }
    } catch  where (error as? any DiskProblem)?.isDiskFull == true || error as? LibraryError == .busy {
      await postpone(entry, error)
    } catch {
      await fail(entry, error)
    }
  }

  /// Makes the takes that are not made yet.
  private func carryOut(_ entry: ImportEntry) async throws {
    // What a killed process has put into the song book counts.
    try await library.settle()
    let plans = try await planned(entry)
    guard !plans.isEmpty else { throw JobFailure(description: "none of the files is a recording that can be read") }
    for (number, plan) in plans.enumerated().dropFirst(entry.job.done) {
      try proceed(entry, Double(number) / Double(plans.count))
      var made = try await finished(entry.job.making)
      let repeats = entry.job.wish.repeats
      let known = made != nil || repeats ? nil : try await library.take(importedFrom: plan.files)
      if made == nil, known == nil { made = try await make(plan, number, of: plans.count, entry) }
      try await note(entry) { [made] job in
        (job.done, job.making) = (number + 1, nil)
        if let made { job.takes.append(made) }
        if let known { job.known.append(known.id) }
      }
    }
  }

  /// The take if it is in the song book.
  private func finished(_ take: TakeID?) async throws -> TakeID? {
    guard let take else { return nil }
    return try await library.index.take(take)?.id
  }

  private func planned(_ entry: ImportEntry) async throws -> [PlannedTake] {
    let order = JobOrder.importing(ImportOrder(entry.job, software, .plan))
    let result = try await onThread { [self] in try jobs.run(order) { _ in try self.proceedOnDisk(entry, nil) } }
    guard case .planned(let plans) = result else { throw JobRunner.WrongResult() }
    return plans
  }

  /// Makes one take and puts it into the song book.
  private func make(_ plan: PlannedTake, _ number: Int, of count: Int, _ entry: ImportEntry) async throws -> TakeID {
    let job = entry.job
    var cast = job.cast
    let session = cast.session(at: plan.startedAt, in: job.room)
    let people = cast.musicians(plan.musicians, at: plan.startedAt)
    var song: Song?
    if let title = job.wish.song { song = try await library.song(titled: title) }
    var take = Take(
      id: TakeID(at: plan.startedAt), number: 1, state: .ready, room: job.room, session: session.id, song: song,
      startedAt: plan.startedAt, folder: "")
    take.number = try await library.index.nextNumber(in: job.room, song: song?.id, besides: take.id)
    try await note(entry) { [cast, take] in ($0.cast, $0.making) = (cast, take.id) }
    let workshop = try await onDisk { [library, take] in try library.workshop(for: take.id) }
    do {
      let order = JobOrder.importing(
        ImportOrder(
          job, software,
          .make(number: number, take, people: people, files: plan.files, workshop: workshop.folder.path)))
      let result = try await onThread { [self] in
        try jobs.run(order) { part in
          try self.proceedOnDisk(entry, part.map { (Double(number) + $0) / Double(max(1, count)) })
        }
      }
      guard case .imported(var manifest) = result, manifest.take.id == take.id, manifest.take.room == take.room,
        manifest.take.session == take.session, manifest.take.song?.id == song?.id
      else { throw JobRunner.WrongResult() }
      manifest.session = session
      return try await library.adopt(manifest, from: workshop).id
    } catch {
      _ = try? await onDisk { [library] in library.abandon(workshop) }
      throw error
    }
  }

  /// Records the fraction done.
  /// - Throws: `CancellationError` if the import was removed, or the service ends.
  private func proceed(_ entry: ImportEntry, _ progress: Double?) throws {
    let isGone = entry.change { contents in
      if let progress, progress.isFinite { contents.job.progress = min(1, max(contents.job.progress, progress)) }
      return contents.isGone
    }
    if isGone || isStopping.load(ordering: .acquiring) { throw CancellationError() }
  }

  /// The same on a thread that may wait for the disk.
  /// - Throws: `FileProblem` if rolling takes have too little space left.
  private func proceedOnDisk(_ entry: ImportEntry, _ progress: Double?) throws {
    try proceed(entry, progress)
    try reserve.protect()
  }

  /// Changes the job, also on disk.
  private func note(_ entry: ImportEntry, _ body: @escaping @Sendable (inout ImportJob) -> Void) async throws {
    try await onDisk { [shelf] in
      try entry.locked {
        let contents = entry.change { contents in
          body(&contents.job)
          return contents
        }
        // A record of what was removed would bring it back.
        if !contents.isGone { try shelf.record(contents.job) }
      }
    }
  }

  // MARK: The end

  private func end(_ entry: ImportEntry, _ state: ImportJob.State, problem: String? = nil) async {
    let isGone = entry.change { contents in
      (contents.job.state, contents.job.problem) = (state, problem)
      if state == .done { contents.job.progress = 1 }
      contents.job.finishedAt = MonotonicClock.wall
      return contents.isGone
    }
    guard !isGone else { return await discard(entry) }
    do {
      try await note(entry) { _ in }
      // Their sender has them.
      try await onDisk { [shelf] in entry.locked { shelf.removeFiles(of: entry.id) } }
    } catch {
      logger.warning("the end of an import is not on disk", metadata: ["import": "\(entry.id)", "error": "\(error)"])
    }
  }

  private func fail(_ entry: ImportEntry, _ error: any Error) async {
    if error is CancellationError {
      guard entry.now.isGone else {
        // By the shutdown: the next start continues.
        return entry.change { $0.job.state = .queued }
      }
      return await discard(entry)
    }
    logger.error("an import failed", metadata: ["import": "\(entry.id)", "error": "\(error)"])
    await end(entry, .failed, problem: "\(error)")
  }

  /// Puts off an import for which there is no room, or whose song book is in use for long: its files stay.
  private func postpone(_ entry: ImportEntry, _ error: any Error) async {
    let isGone = entry.change { contents in
      (contents.job.state, contents.job.problem) = (.queued, "\(error)")
      contents.retryAt = MonotonicClock.now + .seconds(30 << Int64(min(contents.delays, 6)))
      contents.delays += 1
      return contents.isGone
    }
    guard !isGone else { return await discard(entry) }
    logger.warning("an import is put off", metadata: ["import": "\(entry.id)", "reason": "\(error)"])
  }

  /// Queues an import again whose process was lost, after a pause.
  private func retry(_ entry: ImportEntry, after loss: WorkerProcess.Loss, _ count: Int) async {
    let pause = Attempts.pause(after: count)
    let isGone = entry.change { contents in
      contents.job.state = .queued
      contents.retryAt = MonotonicClock.now + .seconds(Int64(pause))
      return contents.isGone
    }
    guard !isGone else { return await discard(entry) }
    logger.warning(
      "an import's process was lost; it is made again",
      metadata: ["import": "\(entry.id)", "attempt": "\(count)", "reason": "\(loss)"])
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(pause)) { [weak self] in self?.wake() }
  }
}
