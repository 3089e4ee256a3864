import Library
import Logging
import Music
import Recording
import Signaling

/// Finishes automatically, when the service starts, the work of an earlier process.
struct Recovery: Sendable {
  let services: RoomServices

  private var root: String { services.configuration.recordings }
  private var finisher: TakeFinisher {
    TakeFinisher(services: services, renders: services.recoveries, logger: services.logger)
  }

  /// The folders of takes with a journal but no manifest. To be called before any room opens: later it would find
  /// rolling takes.
  func search() -> [String] {
    do {
      let finished = Set(try TakeFolder.manifests(under: root))
      return try TakeFolder.journals(under: root).filter { !finished.contains($0) }
    } catch {
      services.logger.error("the data folder cannot be searched for unfinished takes", metadata: ["error": "\(error)"])
      return []
    }
  }

  /// Completes the takes in `folders`, several at once and shortest first, until the task is cancelled.
  func finish(_ folders: [String]) async {
    let bySize = folders.map { ($0, size($0)) }.sorted { $0.1 < $1.1 }.map(\.0)
    await withTaskGroup { group in
      var waiting = bySize[...]
      for _ in 0..<services.recoveries.workerCount {
        guard let path = waiting.popFirst() else { break }
        group.addTask { await finish(path) }
      }
      while await group.next() != nil, !Task.isCancelled {
        guard let path = waiting.popFirst() else { continue }
        group.addTask { await finish(path) }
      }
    }
  }

  /// Size of the journal at `path`; unreadable ones sort first, so that their error is reported early.
  private func size(_ path: String) -> Int64 {
    let folder = try? TakeFolder(existing: path, in: root)
    return (try? folder?.size(of: TakeFolder.journalName)) ?? 0
  }

  /// Completes the take at `path`; if the disk is full, as soon as there is space.
  private func finish(_ path: String) async {
    var isStarving = false
    while !Task.isCancelled {
      do {
        guard case .noRoom(let problem)? = try await recover(path) else { return }
        tellOnce(&isStarving, path, problem)
      } catch let problem as any DiskProblem where problem.isDiskFull {
        tellOnce(&isStarving, path, problem)
      } catch JournalDamage.endsInHeader where size(path) < Recovery.nothing {
        return await discard(path)
      } catch is CancellationError {
        // The service stops, while another process still writes the take's files. The next start finds them, or goes on.
        return
      } catch {
        services.logger.error(
          "a take could not be recovered; its journal is kept", metadata: ["folder": "\(path)", "error": "\(error)"])
        return await giveUp(path)
      }
      try? await Task.sleep(for: Recovery.roomRetry)
    }
  }

  /// Interval between attempts when the disk is full.
  private static let roomRetry = Duration.seconds(5)

  private func tellOnce(_ isStarving: inout Bool, _ path: String, _ problem: any Error) {
    guard !isStarving else { return }
    isStarving = true
    services.logger.error(
      "a take that was left waits for room on the disk", metadata: ["folder": "\(path)", "error": "\(problem)"])
  }

  /// Bytes that hold less than the 200 ms of sound which a recorder's death may cost.
  private static let nothing: Int64 = 1_024

  /// Removes the take at `path`, of which nothing is on the disk: the recorder died as it began. A room does the same
  /// with a take without sound.
  private func discard(_ path: String) async {
    let (library, events) = (services.library, services.events)
    do {
      // An index that still has the take then is corrected by the next start.
      try await services.disk.errands.run { [root] () throws(FileProblem) in try TakeFolder.delete(path, in: root) }
    } catch {
      services.logger.error(
        "an empty take could not be removed", metadata: ["folder": "\(path)", "error": "\(error)"])
      return await giveUp(path)
    }
    services.logger.notice("removed a take of which nothing was written", metadata: ["folder": "\(path)"])
    _ = services.index.add { index in
      guard let take = try await index.unfinishedTakes().first(where: { $0.folder == path }) else { return }
      try await index.discard(take.id)
      try await library.discard(take.session, in: index)
      events.publish(.takeDiscarded, room: take.room, .takeID(take.id))
    }
  }

  /// Marks the take at `path` as failed, so that it no longer appears to be rolling.
  private func giveUp(_ path: String) async {
    let events = services.events
    // Not awaited: announcements of the take wait for the index anyway.
    _ = services.index.add { index in
      guard var take = try await index.unfinishedTakes().first(where: { $0.folder == path }) else { return }
      try await index.setState(of: take.id, to: .failed)
      take.state = .failed
      events.publish(.takeFailed, room: take.room, .take(take))
    }
  }

  /// Closes the journal at `path`, renders it and stores the take; nil if there is nothing of it.
  private func recover(_ path: String) async throws -> TakeFinisher.Outcome? {
    let folder = try TakeFolder(existing: path, in: root)
    try await waitForKeeper(of: folder)
    if folder.has(TakeFolder.manifestName) {
      services.logger.notice("an unfinished take was completed by its render process", metadata: ["folder": "\(path)"])
      let manifest = try Manifest(of: folder)
      do {
        try await services.index.finish(manifest.take.id) { [library = services.library] in
          try await library.shelve(manifest.contents)
        }
      } catch is IndexUnavailable {
        return .notIndexed
      }
      await finisher.announce(manifest.take, in: folder)
      return .finished(manifest.take.state)
    }
    let recovered = try JournalRecovery.recover(try JournalFile(openingIn: folder))
    let isWhole = recovered.damagedBytes == 0 && recovered.missingFrames == 0 && recovered.cutBytes < Recovery.nothing
    guard recovered.hasPackets || !isWhole else {
      await discard(path)
      return nil
    }
    var take = recovered.header.take(inFolder: path)
    take.state = .rolling
    // The index may have been lost with the machine, so the journal alone must be sufficient.
    try await services.index.note { [take] index in
      guard try await index.take(take.id) == nil else { return }
      try await index.store(TakeContents(take: take, tracks: [], cues: []))
    }
    services.logger.notice(
      "finishing a take that was left", metadata: ["take": "\(take.id)", "cut": "\(recovered.cutBytes) bytes"])
    return await finisher.finish(take, in: folder)
  }

  /// Waits until the earlier service's render process (see `RenderKeeper`) has ended, because that is faster.
  private func waitForKeeper(of folder: TakeFolder) async throws {
    while try JournalLock(in: folder) == nil { try await Task.sleep(for: Recovery.look) }
  }

  /// How often to check whether a take's process has ended.
  private static let look = Duration.milliseconds(20)

  /// Puts the refined files of `take` from an earlier process in place.
  private func resume(_ take: TakeID, _ index: any TakeIndex) async throws {
    let path = try await index.take(take)?.folder
    let folder = try path.map { try TakeFolder(existing: $0, in: root) }
    guard let manifest = try TakeRefiner.resume(take, in: folder, root: root) else { return }
    // A separate write, because the files are put in place only once.
    _ = services.index.add { [library = services.library] _ in try await library.shelve(manifest.contents) }
  }

  /// Corrects the index entries of takes that no process works on any more. Completed takes are stored from their
  /// manifests; takes without a journal are removed, since nothing of them exists. Sessions are closed.
  func reconcile() async {
    let wasBehind = services.index.isBehind
    do {
      // Before the writes of the rooms, which wait for this one.
      try await services.index.note { index in
        try await reconcile(index)
        if wasBehind { try await catchUp.run(index) }
      }
    } catch {
      services.logger.error("the index cannot be corrected", metadata: ["error": "\(error)"])
      // Lossless copies wait for second looks; those of earlier processes are left to the next start.
      for take in services.refinements.left { await services.refinements.release(take, isOver: false) }
    }
  }

  /// Adds entries to the index that are missing from it.
  var catchUp: IndexCatchUp {
    IndexCatchUp(library: services.library, events: services.events, logger: services.logger)
  }

  private func reconcile(_ index: any TakeIndex) async throws {
    // An edit interrupted when the process was killed.
    try await services.library.settle()
    try await index.closeLeftSessions()
    for id in TakeRefiner.interrupted(in: root) { try await resume(id, index) }
    for take in try await index.unfinishedTakes() {
      guard let folder = try? TakeFolder(existing: take.folder, in: root), folder.has(TakeFolder.journalName) else {
        try await index.discard(take.id)
        services.logger.notice("removed a take without a journal", metadata: ["take": "\(take.id)"])
        continue
      }
      guard folder.has(TakeFolder.manifestName) else {
        // It waits for `finish`, and is not being recorded.
        if take.state == .rolling { try await index.setState(of: take.id, to: .captured) }
        continue
      }
      let manifest = try Manifest(of: folder)
      try await services.library.shelve(manifest.contents)
      await finisher.announce(manifest.take, in: folder)
      services.logger.notice("added a finished take to the index", metadata: ["take": "\(take.id)"])
    }
    for take in services.refinements.left { try await lookAgain(at: take, index) }
  }

  /// Queues the second look at `take` that an earlier process did not come to, or did not end.
  private func lookAgain(at take: TakeID, _ index: any TakeIndex) async throws {
    guard let known = try await index.take(take), let folder = try? TakeFolder(existing: known.folder, in: root),
      folder.has(TakeFolder.journalName), var manifest = try? Manifest(of: folder)
    else { return await services.refinements.release(take) }
    manifest.take.folder = folder.path
    guard manifest.refinement == nil else {
      // Only the index does not know of it yet.
      try await services.library.shelve(manifest.contents)
      return await services.refinements.release(take)
    }
    await finisher.refine(manifest.take, in: folder)
  }
}
