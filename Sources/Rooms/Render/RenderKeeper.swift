import Machines
import Music
import Recording

/// The other end of a `RenderProcess`: renders one take as commanded by lines on a socket, and completes it
/// independently if the service disappears.
package enum RenderKeeper {
  /// The command that runs it.
  package static let command = "render-worker"
  /// Number of the words "follow" after which its limit of processor time follows the journal: about a minute.
  private static let followsPerLimit = 60

  /// Runs until the take is complete or no longer wanted.
  ///
  /// - Parameter socket: delivers the order in its first line, then words.
  /// - Throws: errors that stop the process without an answer.
  package static func run(on socket: LineSocket, niceness: Int32) throws {
    // The service ends its takes and notifies us; its death in any other way shows at the socket.
    Confinement.begin(as: "jamjar-render", niceness: niceness)
    // Found while this process may still open its executable.
    _ = RenderStamp.current
    guard let order = try socket.next(RenderOrder.self) else { return }
    let folder = try TakeFolder(existing: order.folder, in: order.root)
    let lock = try JournalLock(waitingIn: folder)
    defer { withExtendedLifetime(lock) {} }
    let confinement = Confinement([(folder, .write)])
    var rolling = RollingTake { try TakeRenderer(folder: folder, take: order.take, options: order.options) }
    var follows = 0
    while let word = try socket.next(RenderOrder.Word.self) {
      switch word {
      case .follow:
        if follows == 0 { confinement.enforce() }
        follows += 1
        if follows.isMultiple(of: followsPerLimit) { confinement.limitTime() }
        rolling.follow(at: MonotonicClock.now)
      case .finish(let notes):
        if follows == 0 { confinement.enforce() } else { confinement.limitTime() }
        return try socket.send(answer { try rolling.finish(notes: notes) })
      case .refine:
        // Its new files are made elsewhere.
        let root = try TakeFolder(dataFolder: order.root)
        let workplace = try TakeFolder.obtain(TakeRefiner.workplace, in: order.root)
        Confinement([(root, .list), (workplace, .write), (folder, .write)]).enforce()
        return try socket.send(
          answer {
            try TakeRefiner.refine(folder, root: order.root, options: order.options, EndWatch(of: socket).proceed)
          })
      }
    }
    // The keeper of an earlier service may have been faster, or this one was told to finish and lost its listener.
    guard !folder.has(TakeFolder.manifestName) else { return }
    if follows == 0 { confinement.enforce() } else { confinement.limitTime() }
    _ = try JournalRecovery.recover(try JournalFile(openingIn: folder))
    _ = try rolling.finish(notes: [])
    AttemptCount(Attempts.renderName, in: folder, by: "").clear()
  }

  private static func answer(_ work: () throws -> RenderedTake?) -> RenderOrder.Answer {
    do {
      return try work().map { .finished(notes: $0.notes) } ?? .unchanged
    } catch {
      return .failed(sentence: "\(error)", file: error as? FileProblem)
    }
  }

  /// Ends a second pass when the service ends; the next start completes or removes its work.
  private final class EndWatch {
    /// Frames between two checks.
    private static let interval = 1_000

    private let socket: LineSocket
    private var count = 0

    init(of socket: LineSocket) {
      self.socket = socket
    }

    func proceed() throws {
      count += 1
      if count % EndWatch.interval == 0, socket.isOver { throw CancellationError() }
    }
  }
}
