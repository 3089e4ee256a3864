/// What a caller wants of a list of takes; nil means "any".
package struct TakeQuery: Hashable, Sendable {
  package var room: RoomName?
  package var song: SongID?
  package var state: TakeState?
  /// How many items a page has, 1 to 200.
  package var limit: Int
  /// Where the page begins: the `next` of the page before.
  package var cursor: String?

  package init(
    room: RoomName? = nil, song: SongID? = nil, state: TakeState? = nil, limit: Int = 50, cursor: String? = nil
  ) {
    self.room = room
    self.song = song
    self.state = state
    self.limit = limit
    self.cursor = cursor
  }
}

/// One page of a list.
package struct Page<Item: Sendable>: Sendable {
  package var items: [Item]
  /// The cursor of the next page, nil on the last.
  package var next: String?

  package init(items: [Item], next: String?) {
    self.items = items
    self.next = next
  }
}

/// The index of everything that was recorded: a cache of the manifests on disk, kept in a database.
///
/// The live rooms write it, the faces read it; which engine is behind it, neither knows.
package protocol TakeIndex: Sendable {
  /// Adds a session when its first musician comes.
  func open(_ session: Session) async throws
  /// Marks the end of a session.
  func close(_ session: SessionID, at time: WallTime) async throws
  /// Ends every session that is open, with the last that is known of its takes: what a process that was killed left.
  func closeLeftSessions() async throws

  /// Adds a take before its journal's first frame, choosing its `number` (1 + the highest of the same room and song);
  /// a song is found by its title in any case or made. `folder` names the take's folder once its number and song are
  /// known. Returns the take as it was stored.
  func create(_ take: Take, songTitle: String?, folder: @escaping @Sendable (Take) -> String) async throws -> Take
  /// Stores a take's new state.
  func setState(of take: TakeID, to state: TakeState) async throws
  /// Forgets a take into which no audio ever came.
  func discard(_ take: TakeID) async throws
  /// Stores a finished take with all its tracks and cues in one transaction, replacing what was there.
  func store(_ take: Take, tracks: [Track], cues: [Cue]) async throws

  func take(_ id: TakeID) async throws -> Take?
  func takes(_ query: TakeQuery) async throws -> Page<Take>
  func tracks(of take: TakeID) async throws -> [Track]
  func cues(of take: TakeID) async throws -> [Cue]
  /// Takes that were rolling, captured or rendering when the process ended: what recovery has to finish.
  func unfinishedTakes() async throws -> [Take]
  /// Names of all rooms that ever had a session, in order.
  func rooms() async throws -> [RoomName]
}
