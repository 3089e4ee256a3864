import Music
import Recording

extension Library {
  /// Adds a session when its first musician comes.
  ///
  /// Its file follows the index and may be missing (a full disk): a rebuilt index has the session's times from its
  /// takes then.
  package func open(_ session: Session) async throws {
    try await index.open(session)
    file(session)
  }

  /// Marks the end of a session.
  package func close(_ session: SessionID, at time: WallTime) async throws {
    try await index.close(session, at: time)
    if let known = try await index.session(session) { file(known) }
  }

  private func file(_ session: Session) {
    guard let folder = try? TakeFolder.obtain(SessionFile.folder, in: root) else { return }
    try? SessionFile(session).write(SessionFile.name(of: session.id), in: folder)
  }
}
