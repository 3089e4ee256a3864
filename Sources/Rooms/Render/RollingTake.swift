import Machines
import Recording

/// A take's render that follows its journal, and when to try again where that failed.
package struct RollingTake {
  private static let firstPause = MonotonicTime.Span.seconds(2)
  private static let longestPause = MonotonicTime.Span.seconds(60)
  /// Processes that may end over one take before the take is what ends them.
  private static let attempts = 3

  private let begin: () throws -> any TakeRendering
  /// Nil before the first try, and after one that failed.
  private var renderer: (any TakeRendering)?
  private var pause = firstPause
  private var retry: MonotonicTime?

  /// - Parameter begin: begins a render at the journal's beginning.
  package init(_ begin: @escaping () throws -> any TakeRendering) {
    self.begin = begin
  }

  /// Renders what the journal has grown by. A failure here is not the end: `finish` begins anew and says what is wrong.
  package mutating func follow(at now: MonotonicTime) {
    if let retry, now < retry { return }
    do {
      let renderer = try renderer ?? begin()
      self.renderer = renderer
      try renderer.follow()
    } catch {
      // What was rendered is lost, and every try begins anew: hence ever longer pauses.
      renderer = nil
      retry = now + pause
      pause = min(RollingTake.longestPause, pause + pause)
    }
  }

  /// Renders the rest and completes the take's files.
  ///
  /// - Parameter again: begins at the journal's beginning where there was no rolling render or it had failed.
  /// - Throws: what the renderer throws; the journal is untouched and can be rendered again.
  package mutating func finish(
    notes: [String], again: (() throws -> any TakeRendering)? = nil
  ) throws -> RenderedTake {
    if let renderer, let rendered = try? renderer.finish(notes: notes) { return rendered }
    renderer = nil
    var left = RollingTake.attempts
    while true {
      left -= 1
      do {
        return try (again ?? begin)().finish(notes: notes)
      } catch RenderProblem.processEnded where left > 0 {
        // A process may also end because the machine had no memory.
      }
    }
  }
}
