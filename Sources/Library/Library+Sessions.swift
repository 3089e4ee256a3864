import Music
import Recording

extension Library {
  /// Adds a session when its first musician comes.
  ///
  /// Its file comes first and may be missing all the same (a full disk): a rebuilt index has the session's times from its
  /// takes then.
  package func open(_ session: Session) async throws {
    file(session)
    try await index.open(session)
  }

  /// Marks the end of a session, which it has.
  package func close(_ session: Session) async throws {
    file(session)
    try await index.close(session.id, at: session.endedAt ?? MonotonicClock.wall)
  }

  private func file(_ session: Session) {
    guard let folder = try? TakeFolder.obtain(SessionFile.folder, in: root) else { return }
    try? SessionFile(session).write(SessionFile.name(of: session.id), in: folder)
  }
}
