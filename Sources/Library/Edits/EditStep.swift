/// The steps of an edit, between which a process may be killed.
enum EditStep: String, CaseIterable, Sendable {
  /// The edit is noted in `PendingEdit`.
  case noted
  /// The first of several changes on disk is made.
  case begun
  /// All changes on disk are made.
  case written
  case indexed
  case logged

  /// Ends an edit as a kill would, for tests: nothing after the step is done.
  struct Kill: Error {}

  /// The step after which the current task's edits end.
  @TaskLocal static var last: EditStep?

  static func passed(_ step: EditStep) throws(Kill) {
    if last == step { throw Kill() }
  }
}
