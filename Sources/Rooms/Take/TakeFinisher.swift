import Library
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
    /// Its files are complete, and the service ended before the index knew: the next start tells it, and who watches.
    case notIndexed
  }

  /// Finishes `take`; its journal is closed and on the disk.
  /// - Parameter notes: what people should know of it, for its manifest; a take with notes is `incomplete`.
  func finish(_ take: Take, in folder: TakeFolder, notes: [String] = []) async -> Outcome {
    var logger = logger
    logger[metadataKey: "take"] = "\(take.id)"
    services.ledger.begin(.take, take.id)
    defer { services.ledger.end(.take, take.id) }
    do {
      // Before its manifest stands: what the index lacks then is noted for the next start.
      try await services.index.setState(of: take.id, to: .rendering)
    } catch {
      logger.warning("the index did not take that a take is rendered", metadata: ["error": "\(error)"])
    }
    do {
      let began = MonotonicClock.now
      let rendered = try await renders.finish(
        take, in: folder, options: services.configuration.render, notes: notes)
      // A client that hears of its end asks the index next.
      try await services.index.finish(take.id) { [library = services.library] in
        try await library.shelve(rendered.manifest.contents)
      }
      logger.info(
        "take finished",
        metadata: [
          "state": "\(rendered.take.state)", "tracks": "\(rendered.tracks.count)",
          "seconds": "\(rendered.take.length?.seconds ?? 0)",
          "took": "\((MonotonicClock.now - began).milliseconds) ms",
        ])
      announce(rendered.take, in: folder)
      return .finished(rendered.take.state)
    } catch is IndexUnavailable {
      return .notIndexed
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

  /// Announces a finished take that the index has, and looks at it again.
  func announce(_ take: Take, in folder: TakeFolder) {
    refine(take, in: folder)
    publish(take)
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
        try await services.index.finish(take.id) { [library = services.library] in
          try await library.shelve(rendered.manifest.contents)
        }
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
    case .rolling, .captured, .rendering: return
    }
    services.events.publish(kind, room: take.room, .take(take))
  }
}
