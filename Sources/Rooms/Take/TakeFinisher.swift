import Logging
import Machines
import Music
import Recording
import Signaling

/// Makes a captured take complete: the rest of the render, the files, the index.
struct TakeFinisher: Sendable {
  let services: RoomServices
  /// Where the rest is rendered.
  let renders: RenderQueue
  let logger: Logger

  /// What came of a try to finish a take.
  enum Outcome: Sendable {
    /// The state in which the take is now.
    case finished(TakeState)
    /// The disk is full: the same call will do once there is room.
    case noRoom(any Error)
  }

  /// Finishes `take`; its journal is closed and on the disk.
  /// - Parameter notes: what people should know of it, for its manifest; a take with notes is `incomplete`.
  func finish(_ take: Take, in folder: TakeFolder, notes: [String] = []) async -> Outcome {
    var logger = logger
    logger[metadataKey: "take"] = "\(take.id)"
    services.ledger.begin(.take, take.id)
    defer { services.ledger.end(.take, take.id) }
    do {
      // A former process may have come as far as this and no further.
      if try await services.index.take(take.id)?.state != .rendering {
        try await services.index.setState(of: take.id, to: .rendering)
      }
      let began = MonotonicClock.now
      let rendered = try await renders.finish(
        take, in: folder, options: services.configuration.render, notes: notes)
      try await services.library.shelve(rendered.manifest.contents)
      logger.info(
        "take finished",
        metadata: [
          "state": "\(rendered.take.state)", "tracks": "\(rendered.tracks.count)",
          "seconds": "\(rendered.take.length?.seconds ?? 0)",
          "took": "\((MonotonicClock.now - began).milliseconds) ms",
        ])
      refine(rendered.take, in: folder)
      publish(rendered.take)
      return .finished(rendered.take.state)
    } catch {
      let isKept = folder.has(TakeFolder.journalName)
      logger.error(
        "a take could not be finished; its journal is \(isKept ? "kept" : "gone")", metadata: ["error": "\(error)"])
      if let problem = error as? any DiskProblem, problem.isDiskFull { return .noRoom(error) }
      try? await services.index.setState(of: take.id, to: .failed)
      var failed = take
      failed.state = .failed
      publish(failed)
      return .finished(.failed)
    }
  }

  /// Takes a take into the index whose files another process has completed; answers its state.
  /// - Throws: what the index throws.
  func take(in manifest: Manifest, of folder: TakeFolder) async throws -> TakeState {
    try await services.library.shelve(manifest.contents)
    refine(manifest.take, in: folder)
    publish(manifest.take)
    return manifest.take.state
  }

  /// Has the whole journal looked at again, behind everything else: what is known now places and recovers more than what
  /// was known while the take rolled.
  private func refine(_ take: Take, in folder: TakeFolder) {
    let (services, logger) = (services, logger)
    services.refinements.enlist(take.id)
    Task {
      defer { services.refinements.release(take.id) }
      do {
        let began = MonotonicClock.now
        guard
          let rendered = try await services.refinements.refine(
            take, in: folder, options: services.configuration.render),
          let refinement = rendered.manifest.refinement
        else { return }
        try await services.library.shelve(rendered.manifest.contents)
        logger.info(
          "take made more exact",
          metadata: [
            "take": "\(take.id)", "packets": "\(refinement.packets)", "moved": "\(refinement.greatestMove) ms",
            "took": "\((MonotonicClock.now - began).milliseconds) ms",
          ])
        services.events.publish(.takeRefined, room: take.room, .refined(rendered.take, refinement))
      } catch is CancellationError {
        // The take is whole as it is.
      } catch {
        logger.warning("a take could not be made more exact", metadata: ["take": "\(take.id)", "error": "\(error)"])
      }
    }
  }

  /// Tells whoever watches the service what became of the take.
  private func publish(_ take: Take) {
    let kind: ServiceEventKind
    switch take.state {
    case .ready: kind = .takeReady
    case .incomplete: kind = .takeIncomplete
    case .failed: kind = .takeFailed
    case .armed, .rolling, .captured, .rendering: return
    }
    services.events.publish(kind, room: take.room, .take(take))
  }
}
