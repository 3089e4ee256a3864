import Logging
import Music
import Recording

/// A take's render in a separate process: a journal that breaks its render affects only that take.
///
/// If the service is killed, the process survives, closes the journal and completes the take at once (see
/// `RenderKeeper`). Used from one thread at a time. Releasing a render ends its process.
final class RenderProcess: TakeRendering {
  private let process: WorkerProcess
  private let order: RenderOrder
  private let logger: Logger

  /// Starts a copy of `template`, or `program` with the render command where there is none.
  /// - Throws: `WorkerProcess.Loss`.
  init(_ program: String, template: WorkerTemplate? = nil, order: RenderOrder, niceness: Int32, logger: Logger) throws {
    self.order = order
    self.logger = logger
    process = try WorkerProcess(program) { end throws(ChildSpawn.Failure) in
      if let copy = template?.copy(end, for: .render(niceness: niceness)) { return copy }
      let arguments = [RenderKeeper.command, "--niceness", "\(niceness)"]
      return try ChildSpawn.spawn(program, as: "jamjar", arguments, input: end, output: end)
    }
    try process.send(order)
  }

  func follow() throws {
    // It reads the whole journal, so a word dropped because earlier ones wait is not missed.
    try watching { try process.send(RenderOrder.Word.follow, waits: false) }
  }

  func finish(notes: [String]) throws -> RenderedTake {
    guard let rendered = try answer(to: .finish(notes: notes)) else { throw RenderProblem.finished }
    return rendered
  }

  /// Examines the finished take again; nil if nothing had to change.
  /// - Throws: errors of the render; the take is unchanged then.
  func refine() throws -> RenderedTake? { try answer(to: .refine) }

  /// Ends the process at once, from any thread; a caller waiting for its answer gets an error.
  var ending: @Sendable () -> Void { process.ending }

  private func answer(to word: RenderOrder.Word) throws -> RenderedTake? {
    let answer = try watching {
      try process.send(word)
      return try process.next(RenderOrder.Answer.self)
    }
    switch answer {
    case .unchanged: return nil
    case .finished(let notes):
      let manifest = try Manifest(of: TakeFolder(existing: order.folder, in: order.root))
      return RenderedTake(
        take: manifest.take, tracks: manifest.tracks, cues: manifest.cues, manifest: manifest, notes: notes)
    case .failed(_, let file?): throw file
    case .failed(let sentence, nil): throw RenderProblem.processFailed(sentence)
    }
  }

  /// Logs an unexpected end of the process.
  private func watching<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let loss as WorkerProcess.Loss {
      if loss != .unwanted {
        logger.error(
          "a render's process ended before its work was done",
          metadata: ["take": "\(order.take.id)", "reason": "\(loss)"])
      }
      throw loss
    }
  }
}
