import Library
import Music
import Recording
import Synchronization

/// Writes by the recorder.
extension IndexBacklog {
  package func open(_ session: Session) async throws {
    knowing { $0.add(session) }
    try await note { try await $0.open(session) }
  }

  package func close(_ session: SessionID, at time: WallTime) async throws {
    knowing { $0.end(session, at: time) }
    try await note { [weak self] index in
      try await index.close(session, at: time)
      self?.knowing { $0.remove(session) }
    }
  }

  package func discard(_ session: SessionID, whenGone: @escaping @Sendable () -> Void) async throws {
    try await note { try await $0.discard(session, whenGone: whenGone) }
  }

  package func closeLeftSessions() async throws {
    try await note { try await $0.closeLeftSessions() }
  }

  /// Adds a take. If the index does not respond in time, the take gets its number and song from what can be read of
  /// the index, or else from the folder names on disk; the index is updated later.
  package func create(
    _ take: Take, songTitle: String?, folder: @escaping @Sendable (Take) -> String
  ) async throws -> Take {
    let stored: Take
    if !isBehind, let created = try await createdAtOnce(take, songTitle: songTitle, folder: folder) {
      stored = created
    } else {
      stored = await promised(take, songTitle: songTitle, folder: folder)
      // The caller already has its result; the log reports the outcome of this write.
      _ = add { [stored] in try await $0.store(TakeContents(take: stored, tracks: [], cues: [])) }
    }
    knowing { $0.add(stored) }
    return stored
  }

  private func createdAtOnce(
    _ take: Take, songTitle: String?, folder: @escaping @Sendable (Take) -> String
  ) async throws -> Take? {
    let created = CreatedTake()
    let write = add { created.set(try await $0.create(take, songTitle: songTitle, folder: folder)) }
    switch await write.outcome(within: IndexBacklog.numberPatience) {
    case .success: return created.take
    case .failure(let error): throw error
    case nil:
      write.giveUp()
      // It may have succeeded by now. If it does later, the store that follows overrides it.
      return created.take
    }
  }

  private func promised(_ take: Take, songTitle: String?, folder: @Sendable (Take) -> String) async -> Take {
    var take = take
    let index = index
    if let title = songTitle.map(IndexBacklog.trimmed), !title.isEmpty {
      let known = (try? await Deadline.race(IndexBacklog.numberPatience) { try await index.song(titled: title) }) ?? nil
      take.song = promise { [take] in $0.song(titled: title, known: known ?? nil, at: take.startedAt) }
    }
    let (room, song) = (take.room, take.song?.id)
    let known = try? await Deadline.race(IndexBacklog.numberPatience) { [id = take.id] in
      try await index.nextNumber(in: room, song: song, besides: id)
    }
    let least = (known ?? nil) ?? numberOnDisk(of: take)
    take.number = promise { $0.number(in: room, song: song, known: least) }
    take.startedAt = WallTime(milliseconds: take.startedAt.milliseconds)
    take.folder = folder(take)
    return take
  }

  private static func trimmed(_ title: String) -> String {
    let start = title.drop(while: \.isWhitespace)
    return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
  }

  /// The next number according to the names of the room's folders.
  private func numberOnDisk(of take: Take) -> Int {
    var first = take
    first.number = 1
    let parts = TakeFolder.relativePath(for: first).split(separator: "/").map(String.init)
    guard let room = parts.first, let name = parts.last, let dash = name.firstIndex(of: "-") else { return 1 }
    let sessions = (try? TakeFolder(existing: room, in: root).names()) ?? []
    let names = sessions.flatMap { (try? TakeFolder(existing: "\(room)/\($0)", in: root).names()) ?? [] }
    return TakePromises.next(after: names, song: String(name[name.index(after: dash)...]))
  }

  package func setState(of take: TakeID, to state: TakeState) async throws {
    knowing { $0.set(state, of: take) }
    try await note { index in
      // An earlier process or attempt may already have stored this state.
      guard try await index.take(take)?.state != state else { return }
      try await index.setState(of: take, to: state)
    }
  }

  package func discard(_ take: TakeID) async throws {
    knowing { $0.remove(take) }
    try await note { try await $0.discard(take) }
  }

  /// Stores a finished take with `body`; returns once the index has it.
  func finish(_ take: TakeID, _ body: @escaping @Sendable () async throws -> Void) async throws {
    try await carryOut { [weak self] _ in
      try await body()
      self?.knowing { $0.remove(take) }
    }
  }
}

/// The take as stored by the index, for its author.
private final class CreatedTake: Sendable {
  private let stored = Mutex<Take?>(nil)

  var take: Take? { stored.withLock { $0 } }

  func set(_ take: Take) { stored.withLock { $0 = take } }
}
