import Catalog
import Library
import Music
import Recording
import Server
import Signaling

/// The song book of a data folder; a service may be running on the folder at the same time.
struct LocalBook: SongBook {
  private let shelf: TakeShelf
  /// Nil if the book was opened for reading only.
  private let library: Library?

  init(_ shelf: TakeShelf, library: Library?) {
    self.shelf = shelf
    self.library = library
  }

  var takes: any TakeSource { LocalSource(shelf) }

  private func editor() throws(CommandFailure) -> Library {
    guard let library else { throw CommandFailure(ExitCodes.software, "\(shelf.data) was opened for reading only") }
    return library
  }

  // MARK: Takes

  func edit(_ take: TakeID, _ patch: JSONObject, ifRevision revision: Int?) async throws -> JSONObject {
    Representation.take(try await TakePatch(patch).apply(to: take, in: editor(), ifRevision: revision))
  }

  func delete(_ take: TakeID) async throws -> JSONObject { Representation.take(try await editor().delete(take)) }
  func restore(_ take: TakeID) async throws -> JSONObject { Representation.take(try await editor().restore(take)) }

  func addCue(to take: TakeID, at position: Double, text: String) async throws -> JSONObject {
    let (cue, _) = try await editor().addCue(to: take, at: try LocalBook.position(position), text: text)
    return Representation.cue(cue).object ?? [:]
  }

  func editCue(_ cue: CueID, of take: TakeID, at position: Double?, text: String?) async throws -> JSONObject {
    let place = try position.map { try LocalBook.position($0) }
    let (changed, _) = try await editor().editCue(cue, of: take) { cue in
      if let place { cue.position = place }
      if let text { cue.text = text }
    }
    return Representation.cue(changed).object ?? [:]
  }

  func removeCue(_ cue: CueID, of take: TakeID) async throws { _ = try await editor().removeCue(cue, of: take) }

  func share(_ take: TakeID, _ wish: JSONObject) async throws -> JSONObject {
    let known = try await found(take)
    guard known.state == .ready || known.state == .incomplete else {
      throw CommandFailure(ExitCodes.unsuitable, "the take is \(known.state.rawValue); only finished ones have links")
    }
    return try await ShareWish(wish).make(take, in: editor())
  }

  func shares(of take: TakeID) async throws -> JSONValue {
    let shares = try await editor().shares(of: try await found(take))
    return Representation.list(
      shares.map { .object(Representation.share($0, at: MonotonicClock.wall)) }, next: nil)
  }

  func revokeShare(_ share: ShareID, of take: TakeID) async throws {
    guard try await editor().revoke(share, of: take) else {
      throw CommandFailure(ExitCodes.noInput, "the take has no link \(share); jamjar share list shows its links")
    }
  }

  private func found(_ take: TakeID) async throws -> Take {
    guard let found = try await shelf.index.take(take) else { throw LibraryError.unknownTake(take) }
    return found
  }

  private static func position(_ seconds: Double) throws(CommandFailure) -> SamplePosition {
    guard let position = SamplePosition(seconds: seconds) else {
      throw CommandFailure(ExitCodes.usage, "--at is \(seconds); permitted: 0 or more seconds, within the take")
    }
    return position
  }

  // MARK: Songs

  func songs(_ condition: BookCondition?, limit: Int, cursor: String?) async throws -> JSONValue {
    let page = try await shelf.index.songs(BookQuery(condition: condition, limit: limit, cursor: cursor))
    return Representation.list(page.items.map(Representation.fullSong), next: page.next)
  }

  func song(_ id: SongID) async throws -> JSONObject? {
    try await shelf.index.song(id).flatMap { Representation.fullSong($0).object }
  }

  func addSong(_ song: JSONObject) async throws -> JSONObject {
    var new = Song(id: SongID(at: MonotonicClock.wall), title: "")
    try SongPatch(song).apply(to: &new)
    return Representation.fullSong(try await editor().createSong(new)).object ?? [:]
  }

  func editSong(_ id: SongID, _ patch: JSONObject) async throws -> JSONObject {
    let patch = try SongPatch(patch)
    return Representation.fullSong(try await editor().editSong(id) { patch.apply(to: &$0) }).object ?? [:]
  }

  func deleteSong(_ id: SongID) async throws { try await editor().deleteSong(id) }

  // MARK: Sessions and people

  func sessions(_ query: SessionQuery) async throws -> JSONValue {
    let page = try await shelf.index.sessions(query)
    return Representation.list(page.items.map(Representation.session), next: page.next)
  }

  func session(_ id: SessionID) async throws -> JSONObject? {
    try await shelf.index.session(id).flatMap { Representation.session($0).object }
  }

  func people(_ condition: BookCondition?, limit: Int, cursor: String?) async throws -> JSONValue {
    let page = try await shelf.index.people(BookQuery(condition: condition, limit: limit, cursor: cursor))
    return Representation.list(page.items.map(Representation.person), next: page.next)
  }

  func person(_ id: ParticipantID) async throws -> JSONObject? {
    try await shelf.index.person(id).flatMap { Representation.person($0).object }
  }

  func renamePerson(_ id: ParticipantID, to name: String?) async throws -> JSONObject {
    let given = try name.map { try DisplayName(checking: $0) }
    return Representation.person(try await editor().renamePerson(id, to: given)).object ?? [:]
  }

  func mergePeople(_ others: [ParticipantID], into id: ParticipantID) async throws -> JSONObject {
    Representation.person(try await editor().mergePeople(others, into: id)).object ?? [:]
  }
}
