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

/// The index of everything that was recorded: a cache of the manifests and edits on disk, kept in a database.
///
/// The live rooms write it, the faces read it; which engine is behind it, neither knows. People's edits go through
/// `Library`, which writes them on the disk first: nothing else may call what is marked "for `Library`".
package protocol TakeIndex: Sendable {
  // MARK: The recorder

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
  /// Takes that were rolling, captured or rendering when the process ended: what recovery has to finish.
  func unfinishedTakes() async throws -> [Take]

  // MARK: Reading

  func take(_ id: TakeID) async throws -> Take?
  /// One page of takes. Keyset paging: a page costs the same however deep it lies.
  func takes(_ query: TakeQuery) async throws -> Page<Take>
  func tracks(of take: TakeID) async throws -> [Track]
  /// By position.
  func cues(of take: TakeID) async throws -> [Cue]
  func files(of take: TakeID) async throws -> [TakeFile]
  /// Names of all rooms that ever had a session, in order.
  func rooms() async throws -> [RoomName]
  func session(_ id: SessionID) async throws -> Session?
  func sessions(_ query: SessionQuery) async throws -> Page<Session>
  func song(_ id: SongID) async throws -> Song?
  /// The song of this title in any case, the oldest where there are several.
  func song(titled title: String) async throws -> Song?
  func songs(_ query: SongQuery) async throws -> Page<Song>
  /// The person who has or had this identifier: that of whom they were merged into, where they were.
  func person(_ id: ParticipantID) async throws -> Person?
  func people(_ query: PersonQuery) async throws -> Page<Person>

  // MARK: Storing what is on the disk; for `Library`

  /// Throws where the index would take no write at this moment: before something is changed on the disk whose author
  /// would be told that it was not.
  func checkWritable() async throws
  /// Stores a take with its session, tracks, cues and files in one transaction, replacing what was there.
  func store(_ contents: TakeContents) async throws
  /// Stores a song as it is, adding it where it is not known.
  func store(_ song: Song) async throws
  /// Stores a person's name, revision, and who was merged into them; only those that the index knows count.
  func store(_ person: Person) async throws
  /// Removes a take whose files are gone.
  func remove(_ take: TakeID) async throws
  /// Removes a song that no take has; false where one has it, or there is none.
  func remove(_ song: SongID) async throws -> Bool
  /// The number that a take would get with this song in its room: 1 + the highest of the same room and song.
  func nextNumber(in room: RoomName, song: SongID?) async throws -> Int
}
