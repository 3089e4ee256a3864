import Music

extension TakeIndex {
  /// Stores a finished take with all its tracks and cues in one transaction, replacing what was there.
  package func store(_ take: Take, tracks: [Track], cues: [Cue]) async throws {
    try await store(TakeContents(take: take, tracks: tracks, cues: cues))
  }
}
