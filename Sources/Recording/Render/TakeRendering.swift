import Music

/// What renders one take while it rolls, here or in another process. Used from one thread at a time.
package protocol TakeRendering: AnyObject {
  /// Renders what the journal has grown by and what can no longer change.
  /// - Throws: where nothing more can be made of it: the render has to begin anew.
  func follow() throws
  /// Renders the rest of a journal that grows no more and completes the take's files.
  ///
  /// - Parameter notes: what the caller knows besides, for people.
  /// - Throws: `FileProblem`, `JournalDamage`, `RenderProblem`, `OpusFailure`; the journal is untouched.
  func finish(notes: [String]) throws -> RenderedTake
}

/// What a finished render made.
package struct RenderedTake: Hashable, Sendable {
  /// With length, end and number of tracks; its state is `ready`, or `incomplete` where something is missing.
  package var take: Take
  /// In the order of arrival; a track without any audio has no file.
  package var tracks: [Track]
  package var cues: [Cue]
  /// What was written as `manifest.json`.
  package var manifest: Manifest
  /// What people should know.
  package var notes: [String]

  package init(take: Take, tracks: [Track], cues: [Cue], manifest: Manifest, notes: [String]) {
    self.take = take
    self.tracks = tracks
    self.cues = cues
    self.manifest = manifest
    self.notes = notes
  }
}

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
