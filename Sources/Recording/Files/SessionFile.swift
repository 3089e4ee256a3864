import Music

/// A session with its times: `_library/sessions/<id>.json`.
package struct SessionFile: Sidecar, Hashable {
  package static let currentVersion = 1
  package static let folder = "_library/sessions"

  package var version = SessionFile.currentVersion
  package var session: Session

  package init(_ session: Session) {
    self.session = session
  }

  /// It has times only, which cannot be wrong in that way.
  package func check() {}

  package static func name(of session: SessionID) -> String { "\(session).json" }
}
