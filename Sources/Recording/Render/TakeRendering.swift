import Music

/// Renders one take while it rolls, in this or another process. Used from one thread at a time.
package protocol TakeRendering: AnyObject {
  /// Renders the new part of the journal as far as it can no longer change.
  /// - Throws: an error if the render cannot continue and has to be started again.
  func follow() throws
  /// Renders the rest of a journal that no longer grows and completes the take's files.
  ///
  /// - Parameter notes: further notes of the caller for users.
  /// - Throws: `FileProblem`, `JournalDamage`, `RenderProblem`, `OpusFailure`; the journal is untouched.
  func finish(notes: [String]) throws -> RenderedTake
}

/// The result of a finished render.
package struct RenderedTake: Hashable, Sendable {
  /// With length, end and number of tracks; its state is `ready`, or `incomplete` if something is missing.
  package var take: Take
  /// In order of arrival; a track without audio has no file.
  package var tracks: [Track]
  package var cues: [Cue]
  /// The contents of `manifest.json`.
  package var manifest: Manifest
  /// Notes for users.
  package var notes: [String]

  package init(take: Take, tracks: [Track], cues: [Cue], manifest: Manifest, notes: [String]) {
    self.take = take
    self.tracks = tracks
    self.cues = cues
    self.manifest = manifest
    self.notes = notes
  }
}

/// The reason why a take could not be rendered; the journal is untouched and can be rendered again.
package enum RenderProblem: Error, Hashable, Sendable {
  /// The journal has no whole header.
  case noHeader(folder: String)
  /// The journal's clock jumps by more than a day between two frames.
  case impossibleTime(seconds: Double)
  /// `finish()` was already called.
  case finished
  /// The rendering process reported this error.
  case processFailed(String)
}

extension RenderProblem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noHeader(let folder):
      "the journal in \(folder) has no readable header, so the start of the take is unknown"
    case .impossibleTime(let seconds):
      "the journal's clock jumps to \(seconds) s after the take's beginning; frames are at most a day apart"
    case .finished:
      "the take has already been rendered; create a new renderer to render it again"
    case .processFailed(let sentence): sentence
    }
  }
}
