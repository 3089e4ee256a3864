/// How far a take has come.
///
/// `rolling → captured → rendering → ready`; `incomplete` and `failed` stand beside them.
package enum TakeState: String, Sendable, Hashable, Codable, CaseIterable {
  /// Recording.
  case rolling
  /// Stopped; the journal is whole and on disk.
  case captured
  /// Tracks and mix are being made.
  case rendering
  /// Everything is there.
  case ready
  /// Everything that could be saved is there, and the manifest says what is missing (a crash, a full disk).
  case incomplete
  /// The render gave up; the journal is kept and can be rendered again.
  case failed

  /// Whether a take may go from this state to `next`.
  package func mayBecome(_ next: TakeState) -> Bool {
    switch (self, next) {
    case (.rolling, .captured), (.rolling, .rendering), (.rolling, .incomplete), (.rolling, .failed): true
    case (.captured, .rendering), (.captured, .failed): true
    case (.rendering, .ready), (.rendering, .incomplete), (.rendering, .failed): true
    // A take can always be rendered again from its journal.
    case (.ready, .rendering), (.incomplete, .rendering), (.failed, .rendering): true
    default: false
    }
  }

  /// True while audio may still be added.
  package var isOpen: Bool { self == .rolling }
}
