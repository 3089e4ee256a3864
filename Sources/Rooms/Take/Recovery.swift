import Logging
import Music
import Recording

/// Finishes, at the start of the service, what a former process left unfinished: nobody has to ask for it.
struct Recovery: Sendable {
  let services: RoomServices

  private var root: String { services.configuration.recordings }

  /// The folders of takes that have a journal and no manifest. To be asked before any room opens: later it would find
  /// takes that roll.
  func search() -> [String] {
    do {
      let finished = Set(try TakeFolder.manifests(under: root))
      return try TakeFolder.journals(under: root).filter { !finished.contains($0) }
    } catch {
      services.logger.error("the data folder cannot be searched for unfinished takes", metadata: ["error": "\(error)"])
      return []
    }
  }

  /// Completes the takes in `folders`, until the task is cancelled.
  func finish(_ folders: [String]) async {
    for path in folders where !Task.isCancelled {
      do {
        try await recover(path)
      } catch {
        services.logger.error(
          "a take could not be recovered; its journal is kept", metadata: ["folder": "\(path)", "error": "\(error)"])
      }
    }
  }

  /// Closes the journal at `path`, renders it and stores the take.
  private func recover(_ path: String) async throws {
    let folder = try TakeFolder(existing: path, in: root)
    let recovered = try JournalRecovery.recover(try JournalFile(openingIn: folder))
    var take = recovered.header.take(inFolder: path)
    // The index may have been lost with the machine: the journal alone has to be enough.
    if try await services.index.take(take.id) == nil {
      take.state = .rolling
      try await services.index.store(TakeContents(take: take, tracks: [], cues: []))
    }
    services.logger.notice(
      "finishing a take that was left", metadata: ["take": "\(take.id)", "cut": "\(recovered.cutBytes) bytes"])
    _ = await TakeFinisher(services: services, logger: services.logger).finish(take, in: folder)
  }

  /// Puts the files in place that a former process had made anew for `take`.
  private func resume(_ take: TakeID) async throws {
    let path = try await services.index.take(take)?.folder
    let folder = try path.map { try TakeFolder(existing: $0, in: root) }
    guard let manifest = try TakeRefiner.resume(take, in: folder, root: root) else { return }
    try await services.library.shelve(manifest.contents)
  }

  /// Puts right what the index says of takes that no process works on any more: one whose files are complete is stored
  /// from its manifest; one whose journal was never made is forgotten, for nothing of it existed. Sessions are over.
  func reconcile() async {
    do {
      // An edit that a kill interrupted.
      try await services.library.settle()
      try await services.index.closeLeftSessions()
      for id in TakeRefiner.interrupted(in: root) { try await resume(id) }
      for take in try await services.index.unfinishedTakes() {
        guard let folder = try? TakeFolder(existing: take.folder, in: root), folder.has(TakeFolder.journalName) else {
          try await services.index.discard(take.id)
          services.logger.notice("forgot a take without a journal", metadata: ["take": "\(take.id)"])
          continue
        }
        guard folder.has(TakeFolder.manifestName) else { continue }
        let manifest = try Manifest(of: folder)
        try await services.library.shelve(manifest.contents)
        services.logger.notice("took a finished take into the index", metadata: ["take": "\(take.id)"])
      }
    } catch {
      services.logger.error("the index cannot be put right", metadata: ["error": "\(error)"])
    }
  }
}
