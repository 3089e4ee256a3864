import Music
import Recording

extension Library {
  /// Adds a session when its first take begins.
  ///
  /// Its file is written first, but may be missing (full disk); a rebuilt index then derives the session's times from
  /// its takes.
  package func open(_ session: Session) async throws {
    await file(session)
    try await index.open(session)
  }

  /// Records the end of a session that has ended.
  package func close(_ session: Session) async throws {
    await file(session)
    try await index.close(session.id, at: session.endedAt ?? MonotonicClock.wall)
  }

  /// Removes a session that has ended without any takes; it leaves nothing.
  package func discard(_ session: SessionID) async throws { try await discard(session, in: index) }

  /// The same in the index itself, for writes that wait in a queue of its own.
  package func discard(_ session: SessionID, in index: any TakeIndex) async throws {
    let root = root
    try await index.discard(session) {
      guard let folder = try? TakeFolder(existing: SessionFile.folder, in: root) else { return }
      try? folder.remove(SessionFile.name(of: session))
    }
  }

  private func file(_ session: Session) async {
    try? await errands.run { [root] () throws(FileProblem) in
      let folder = try TakeFolder.obtain(SessionFile.folder, in: root)
      try? SessionFile(session).write(SessionFile.name(of: session.id), in: folder)
    }
  }
}
