/// One page of a list.
package struct Page<Item: Sendable>: Sendable {
  package var items: [Item]
  /// The cursor of the next page; nil on the last.
  package var next: String?

  package init(items: [Item], next: String?) {
    self.items = items
    self.next = next
  }
}

/// One page of a list as the text of its items, a JSON array as in REST.
package struct PageText: Hashable, Sendable {
  package var items: [UInt8]
  /// The cursor of the next page; nil on the last.
  package var next: String?

  package init(items: [UInt8], next: String?) {
    self.items = items
    self.next = next
  }
}

/// A take as one read finds it.
package struct IndexedTake: Hashable, Sendable {
  package var take: Take
  /// Sorted by position.
  package var cues: [Cue]
  /// The take as an item of REST's list.
  package var text: [UInt8]

  package init(take: Take, cues: [Cue], text: [UInt8]) {
    (self.take, self.cues, self.text) = (take, cues, text)
  }
}

/// The index of all recordings: a cache of the manifests and edits on disk, kept in a database.
///
/// Live rooms write it and faces read it, without knowing its implementation. Edits by users go through `Library`,
/// which first writes them to disk; only it may call methods marked "for `Library`".
package protocol TakeIndex: Sendable {
  // MARK: The recorder

  /// Adds a session when its first take begins.
  func open(_ session: Session) async throws
  /// Marks the end of a session.
  func close(_ session: SessionID, at time: WallTime) async throws
  /// Removes a session that has ended without any takes, and calls `whenGone` if it did.
  func discard(_ session: SessionID, whenGone: @escaping @Sendable () -> Void) async throws
  /// Ends all open sessions at the last known time of their takes, after a process was killed.
  func closeLeftSessions() async throws

  /// Adds a take before its journal's first frame and chooses its `number` (1 + the highest of the same room and
  /// song). The song is found by its case-insensitive title, or created. `folder` returns the take's folder for the
  /// final number and song. Returns the take as stored.
  func create(_ take: Take, songTitle: String?, folder: @escaping @Sendable (Take) -> String) async throws -> Take
  /// Stores a take's new state.
  func setState(of take: TakeID, to state: TakeState) async throws
  /// Removes a take that never received audio.
  func discard(_ take: TakeID) async throws
  /// Takes that were rolling, captured or rendering when the process ended, to be finished by recovery.
  func unfinishedTakes() async throws -> [Take]

  // MARK: Reading

  func take(_ id: TakeID) async throws -> Take?
  /// The same on the caller's thread; nil if there is none, or the index cannot answer at once and has to be awaited.
  func takeAtOnce(_ id: TakeID) throws -> IndexedTake?
  /// Returns one page of takes. With keyset paging, all pages cost the same.
  func takes(_ query: TakeQuery) async throws -> Page<Take>
  /// The text of the same page, made from the rows.
  func takeText(_ query: TakeQuery) async throws -> PageText
  /// The same on the caller's thread; nil if the index cannot answer at once, and has to be awaited.
  func takeTextAtOnce(_ query: TakeQuery) throws -> PageText?
  /// A number that never stays the same when anything in the index changes, in this process or another; nil if it
  /// cannot be told at once. Numbers of other processes differ.
  var edition: UInt64? { get }
  func tracks(of take: TakeID) async throws -> [Track]
  /// Sorted by position.
  func cues(of take: TakeID) async throws -> [Cue]
  func files(of take: TakeID) async throws -> [TakeFile]
  /// The sorted names of all rooms that ever had a session.
  func rooms() async throws -> [RoomName]
  func session(_ id: SessionID) async throws -> Session?
  func sessions(_ query: SessionQuery) async throws -> Page<Session>
  func song(_ id: SongID) async throws -> Song?
  /// The song with this case-insensitive title, the oldest if there are several.
  func song(titled title: String) async throws -> Song?
  func songs(_ query: BookQuery) async throws -> Page<Song>
  /// The person with this identifier, now or formerly; after a merge, the person it was merged into.
  func person(_ id: ParticipantID) async throws -> Person?
  func people(_ query: BookQuery) async throws -> Page<Person>

  // MARK: Storing what is on the disk; for `Library`

  /// Throws if the index cannot be written at the moment. Called before changes on disk, so that none is made whose
  /// author would receive an error.
  func checkWritable() async throws
  /// Stores a take with its session, tracks, cues and files in one transaction, replacing the previous version.
  func store(_ contents: TakeContents) async throws
  /// Stores a song, adding it if necessary.
  func store(_ song: Song) async throws
  /// Stores a person's name, revision and merged identifiers; unknown identifiers are ignored.
  func store(_ person: Person) async throws
  /// Removes a take whose files have been deleted.
  func remove(_ take: TakeID) async throws
  /// Removes a song without takes; false if it has takes or does not exist.
  func remove(_ song: SongID) async throws -> Bool
  /// The next number of a take with this song in its room: 1 + the highest of the same room and song, `take`'s own aside.
  func nextNumber(in room: RoomName, song: SongID?, besides take: TakeID) async throws -> Int
}

extension TakeIndex {
  package func takeAtOnce(_ id: TakeID) throws -> IndexedTake? { nil }
  package func takeTextAtOnce(_ query: TakeQuery) throws -> PageText? { nil }
  package var edition: UInt64? { nil }
}

/// An error that may simply mean that the disk is full.
package protocol DiskProblem: Error {
  /// True if the disk (or the quota) is full; freeing space is enough.
  var isDiskFull: Bool { get }
}

/// An error that may simply mean that the index is temporarily unusable.
package protocol IndexProblem: Error {
  /// True if the same call may succeed later: the request was valid, but the index is locked, slow, out of space or
  /// damaged.
  var isIndexUnavailable: Bool { get }
}
