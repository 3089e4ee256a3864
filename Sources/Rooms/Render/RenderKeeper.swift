import Foundation
import Glibc
import Machines
import Music
import Recording

/// The other end of a `RenderProcess`: renders one take as commanded by lines on a socket, and completes it
/// independently if the service disappears.
package enum RenderKeeper {
  /// The command that runs it.
  package static let command = "render-worker"

  /// Runs until the take is complete or no longer wanted.
  ///
  /// - Parameter socket: delivers the order in its first line, then words.
  /// - Throws: errors that stop the process without an answer.
  package static func run(on socket: LineSocket, niceness: Int32) throws {
    // The service ends its takes and notifies us; its death in any other way shows at the socket. A signal to the
    // whole unit must not lose the last seconds of music.
    for signal in [SIGTERM, SIGINT, SIGHUP, SIGPIPE] { Glibc.signal(signal, SIG_IGN) }
    // Only for process lists, which otherwise show the name of the link that started it.
    try? "jamjar-render".write(toFile: "/proc/self/comm", atomically: false, encoding: .utf8)
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
    guard let order = try socket.next(RenderOrder.self) else { return }
    let folder = try TakeFolder(existing: order.folder, in: order.root)
    let lock = try JournalLock(waitingIn: folder)
    defer { withExtendedLifetime(lock) {} }
    var rolling = RollingTake { try TakeRenderer(folder: folder, take: order.take, options: order.options) }
    while let word = try socket.next(RenderOrder.Word.self) {
      switch word {
      case .follow: rolling.follow(at: MonotonicClock.now)
      case .finish(let notes): return try socket.send(answer { try rolling.finish(notes: notes) })
      case .refine:
        return try socket.send(
          answer {
            try TakeRefiner.refine(folder, root: order.root, options: order.options, EndWatch(of: socket).proceed)
          })
      }
    }
    // The keeper of an earlier service may have been faster, or this one was told to finish and lost its listener.
    guard !folder.has(TakeFolder.manifestName) else { return }
    _ = try JournalRecovery.recover(try JournalFile(openingIn: folder))
    _ = try rolling.finish(notes: [])
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
