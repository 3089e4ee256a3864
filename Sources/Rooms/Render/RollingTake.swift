import Machines
import Recording

/// A take's render that follows its journal, and the time of its next attempt after a failure.
package struct RollingTake {
  private static let firstPause = MonotonicTime.Span.seconds(2)
  private static let longestPause = MonotonicTime.Span.seconds(60)
  private let begin: () throws -> any TakeRendering
  /// Nil before the first attempt, and after a failed one.
  private var renderer: (any TakeRendering)?
  private var pause = firstPause
  private var retry: MonotonicTime?

  /// - Parameter begin: starts a render at the journal's beginning, or at its last checkpoint.
  package init(_ begin: @escaping () throws -> any TakeRendering) {
    self.begin = begin
  }

  /// Renders the new part of the journal. A failure here is not final: `finish` starts again and reports the fault.
  package mutating func follow(at now: MonotonicTime) {
    if let retry, now < retry { return }
    do {
      let renderer = try renderer ?? begin()
      self.renderer = renderer
      try renderer.follow()
    } catch {
      // The rendered part is lost unless its process was, and an attempt may start from the beginning: the pauses grow.
      renderer = nil
      retry = now + pause
      pause = min(RollingTake.longestPause, pause + pause)
    }
  }

  /// Renders the rest and completes the take's files.
  ///
  /// - Parameters:
  ///   - again: starts at the journal's beginning if there was no rolling render or it had failed; throws when there
  ///     were too many attempts.
  ///   - lost: receives every loss of a process that began so.
  /// - Throws: errors of the renderer and of `again`; the journal is untouched and can be rendered again.
  package mutating func finish(
    notes: [String], again: (() throws -> any TakeRendering)? = nil, lost: (WorkerProcess.Loss) -> Void = { _ in }
  ) throws -> RenderedTake {
    if let renderer, let rendered = try? renderer.finish(notes: notes) { return rendered }
    renderer = nil
    var left = Attempts.limit
    while true {
      left -= 1
      do {
        return try (again ?? begin)().finish(notes: notes)
      } catch let loss as WorkerProcess.Loss {
        lost(loss)
        // A process may also have ended because the machine ran out of memory.
        guard left > 0 else { throw loss }
      }
    }
  }
}
