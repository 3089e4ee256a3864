/// Why a take could not be rendered; the journal is untouched and can be rendered again.
package enum RenderProblem: Error, Hashable, Sendable {
  /// The journal has no whole header.
  case noHeader(folder: String)
  /// The journal's clock jumps by more than a day between two frames.
  case impossibleTime(seconds: Double)
  /// `finish()` was called before.
  case finished
  /// The process that rendered the take ended before its answer.
  case processEnded
  /// The process that rendered the take says why it could not.
  case processFailed(String)
}

extension RenderProblem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noHeader(let folder):
      "the journal in \(folder) has no readable header, so nothing says when the take began"
    case .impossibleTime(let seconds):
      "the journal's clock jumps to \(seconds) s after the take's beginning; frames are at most a day apart"
    case .finished:
      "the take is rendered already; make a new renderer to render it again"
    case .processEnded: "the process that rendered the take ended before it was done"
    case .processFailed(let sentence): sentence
    }
  }
}
