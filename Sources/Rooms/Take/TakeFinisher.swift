import Library
import Logging
import Machines
import Music
import Recording
import Signaling

/// Completes a captured take: the rest of the render, the files, the index.
struct TakeFinisher: Sendable {
  let services: RoomServices
  /// The queue for rendering the rest.
  let renders: RenderQueue
  let logger: Logger

  /// The outcome of an attempt to finish a take.
  enum Outcome: Sendable {
    /// The new state of the take.
    case finished(TakeState)
    /// The disk is full; the same call will succeed once there is space.
    case noRoom(any Error)
    /// Its files are complete, but the service ended before the index was updated; the next start updates it and
    /// informs observers.
    case notIndexed
  }

  /// Finishes `take`, whose journal is closed and on disk.
  /// - Parameter notes: notes for users in its manifest; a take with notes is `incomplete`.
  func finish(_ take: Take, in folder: TakeFolder, notes: [String] = []) async -> Outcome {
    var logger = logger
    logger[metadataKey: "take"] = "\(take.id)"
    services.ledger.begin(.take, take.id)
    defer { services.ledger.end(.take, take.id) }
    do {
      // Before its manifest exists: a missing index entry is then recorded for the next start.
      try await services.index.setState(of: take.id, to: .rendering)
    } catch {
      logger.warning("the index refused the rendering state of a take", metadata: ["error": "\(error)"])
    }
    do {
      let began = MonotonicClock.now
      let rendered = try await renders.finish(
        take, in: folder, options: services.configuration.render, notes: notes)
      // A client informed of its end queries the index next.
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
      await announce(rendered.take, in: folder)
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

  /// Announces a finished take that is in the index, and queues its second pass.
  func announce(_ take: Take, in folder: TakeFolder) async {
    await refine(take, in: folder)
    publish(take)
  }

  /// Queues a second pass over the whole journal at low priority: with hindsight, it can place and recover more than
  /// the rolling render did. If it is cut off, the next start queues it again.
  func refine(_ take: Take, in folder: TakeFolder) async {
    await services.refinements.enlist(take.id)
    // The take is ready without it, so nobody waits; a shutdown stops the queue.
    Task {
      do {
        try await look(at: take, in: folder)
        await services.refinements.release(take.id)
      } catch {
        let isCutOff = error is CancellationError || error is IndexUnavailable
        let isOver = !isCutOff && (error as? any DiskProblem)?.isDiskFull != true
        if !isCutOff {
          logger.warning("a take could not be refined", metadata: ["take": "\(take.id)", "error": "\(error)"])
        }
        await services.refinements.release(take.id, isOver: isOver)
      }
    }
  }

  /// Examines `take` with hindsight, and replaces its files if that improves them.
  private func look(at take: Take, in folder: TakeFolder) async throws {
    await services.renders.finishing.settled(within: TakeFinisher.longestWait)
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
      "take refined",
      metadata: [
        "take": "\(take.id)", "packets": "\(refinement.packets)", "moved": "\(refinement.greatestMove) ms",
        "took": "\((MonotonicClock.now - began).milliseconds) ms",
      ])
    services.events.publish(.takeRefined, room: take.room, .refined(rendered.take, refinement))
  }

  /// How long a second look waits for takes that are being finished.
  private static let longestWait = MonotonicTime.Span.seconds(10)

  /// Informs observers of the service about the take's new state.
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
