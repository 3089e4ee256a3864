import CLinux
import Glibc
import Logging
import Music
import Recording
import Synchronization

/// A take's render in a separate process: a journal that breaks its render affects only that take.
///
/// If the service is killed, the process survives, closes the journal and completes the take at once (see
/// `RenderKeeper`). Used from one thread at a time. Releasing a render ends its process.
final class RenderProcess: TakeRendering {
  /// The process, until it has been waited for: afterwards its id may be reused.
  private final class State: Sendable {
    private let running: Mutex<pid_t?>
    private let isUnwanted = Mutex(false)

    init(_ identifier: pid_t) {
      running = Mutex(identifier)
    }

    /// True if it was asked to end.
    var wasEnded: Bool { isUnwanted.withLock { $0 } }

    func end() {
      isUnwanted.withLock { $0 = true }
      running.withLock { if let identifier = $0 { kill(identifier, SIGKILL) } }
    }

    /// Ends the process if it is still running, waits for it and returns its waitpid status.
    func reap() -> Int32 {
      running.withLock { running in
        guard let identifier = running else { return 0 }
        kill(identifier, SIGKILL)
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        running = nil
        return status
      }
    }
  }

  private let state: State
  private let socket: LineSocket
  private let order: RenderOrder
  private let logger: Logger

  /// Starts `program` with the render command.
  /// - Throws: `ChildSpawn.Failure`; `FileProblem` if the system provides no sockets.
  init(_ program: String, order: RenderOrder, niceness: Int32, logger: Logger) throws {
    self.order = order
    self.logger = logger
    var ends: [Int32] = [-1, -1]
    guard jamjar_socket_pair(&ends) == 0 else {
      throw FileProblem(path: order.folder, operation: .open, code: errno, detail: "no sockets for a render process")
    }
    socket = LineSocket(owning: ends[0])
    defer { close(ends[1]) }
    state = State(
      try ChildSpawn.spawn(
        program, as: "jamjar", [RenderKeeper.command, "--niceness", "\(niceness)"], input: ends[1], output: ends[1]))
    try socket.send(order)
  }

  deinit {
    // Before the socket closes: the end of its input would make it complete the take.
    _ = state.reap()
  }

  func follow() throws {
    // It reads the whole journal, so a word dropped because earlier ones wait is not missed.
    do { try socket.send(RenderOrder.Word.follow, waits: false) } catch { throw ended() }
  }

  func finish(notes: [String]) throws -> RenderedTake {
    guard let rendered = try answer(to: .finish(notes: notes)) else { throw RenderProblem.finished }
    return rendered
  }

  /// Examines the finished take again; nil if nothing had to change.
  /// - Throws: errors of the render; the take is unchanged then.
  func refine() throws -> RenderedTake? { try answer(to: .refine) }

  /// Ends the process at once, from any thread; a caller waiting for its answer gets an error.
  var ending: @Sendable () -> Void {
    let state = state
    return { state.end() }
  }

  private func answer(to word: RenderOrder.Word) throws -> RenderedTake? {
    let answer: RenderOrder.Answer?
    do {
      try socket.send(word)
      answer = try socket.next(RenderOrder.Answer.self)
    } catch {
      throw ended()
    }
    switch answer {
    case .unchanged: return nil
    case .finished(let notes):
      let manifest = try Manifest(of: TakeFolder(existing: order.folder, in: order.root))
      return RenderedTake(
        take: manifest.take, tracks: manifest.tracks, cues: manifest.cues, manifest: manifest, notes: notes)
    case .failed(_, let file?): throw file
    case .failed(let sentence, nil): throw RenderProblem.processFailed(sentence)
    case nil: throw ended()
    }
  }

  /// Handles an unexpected end of the process.
  private func ended() -> RenderProblem {
    let status = state.reap()
    guard !state.wasEnded else { return .processEnded }
    logger.error(
      "a render's process ended before its work was done",
      metadata: ["take": "\(order.take.id)", "status": "\(status)"])
    return .processEnded
  }
}
