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
