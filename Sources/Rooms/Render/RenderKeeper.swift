import Foundation
import Glibc
import Machines
import Music
import Recording

/// The other end of a `RenderProcess`: renders one take as it is told by lines on a socket, and completes it by itself
/// where the service ends without a word.
package enum RenderKeeper {
  /// The command that runs it.
  package static let command = "render-worker"

  /// Runs until the take is complete or nobody wants it.
  ///
  /// - Parameter socket: where the order comes from, which is the first line, and then words.
  /// - Throws: what stops the process without an answer.
  package static func run(on socket: LineSocket, niceness: Int32) throws {
    // The service ends its takes and tells us. What ends the service in other ways shows at the socket; a signal to its
    // whole unit must not take the last seconds of music.
    for signal in [SIGTERM, SIGINT, SIGHUP, SIGPIPE] { Glibc.signal(signal, SIG_IGN) }
    // Only for those who read lists of processes, which else show the name of the link it was started by.
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
    // An older service's keeper may have been faster, or this one was told to finish and lost its listener.
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

  /// Ends a second look when the service ends, whose next start completes or removes what was begun.
  private final class EndWatch {
    /// Frames between two looks.
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
