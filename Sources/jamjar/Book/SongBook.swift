import Music
import Rooms
import Signaling

/// Songs, sessions, people and edits of takes, in a local data folder or on a service over REST.
///
/// Both return REST's JSON (docs/rest.md) and accept edits as merge patches, so a command behaves the same with either.
protocol SongBook: Sendable {
  var takes: any TakeSource { get }

  /// - Parameter revision: the expected revision; the edit fails if the take has another one. Nil accepts any.
  func edit(_ take: TakeID, _ patch: JSONObject, ifRevision revision: Int?) async throws -> JSONObject
  func delete(_ take: TakeID) async throws -> JSONObject
  func restore(_ take: TakeID) async throws -> JSONObject

  /// - Parameter position: in seconds from the take's zero.
  func addCue(to take: TakeID, at position: Double, text: String) async throws -> JSONObject
  func editCue(_ cue: CueID, of take: TakeID, at position: Double?, text: String?) async throws -> JSONObject
  func removeCue(_ cue: CueID, of take: TakeID) async throws

  /// Makes a link; `wish` and the result are REST's.
  func share(_ take: TakeID, _ wish: JSONObject) async throws -> JSONObject
  func shares(of take: TakeID) async throws -> JSONValue
  func revokeShare(_ share: ShareID, of take: TakeID) async throws

  /// One page of songs by title.
  func songs(_ condition: BookCondition?, limit: Int, cursor: String?) async throws -> JSONValue
  func song(_ id: SongID) async throws -> JSONObject?
  func addSong(_ song: JSONObject) async throws -> JSONObject
  func editSong(_ id: SongID, _ patch: JSONObject) async throws -> JSONObject
  func deleteSong(_ id: SongID) async throws

  /// One page of sessions, newest first.
  func sessions(_ query: SessionQuery) async throws -> JSONValue
  func session(_ id: SessionID) async throws -> JSONObject?

  /// One page of people by name.
  func people(_ condition: BookCondition?, limit: Int, cursor: String?) async throws -> JSONValue
  func person(_ id: ParticipantID) async throws -> JSONObject?
  func renamePerson(_ id: ParticipantID, to name: String?) async throws -> JSONObject
  func mergePeople(_ others: [ParticipantID], into id: ParticipantID) async throws -> JSONObject
}

extension SongBook {
  /// Page size when searching for an item by name.
  private var searched: Int { 200 }

  /// The song with this identifier or title, ignoring case.
  /// - Throws: `CommandFailure` if no song matches, and errors of the book.
  func findSong(_ text: String) async throws -> (id: SongID, json: JSONObject) {
    var found: JSONObject?
    if let id = SongID(text), text.count == 26 { found = try await song(id) }
    if found == nil {
      found = try await items(songs(.named(.song, text), limit: searched, cursor: nil)).first {
        $0["title"]?.string?.lowercased() == text.lowercased()
      }
    }
    guard let found, let id = found["id"]?.string.flatMap({ SongID($0) }) else {
      throw CommandFailure(ExitCodes.noInput, "there is no song \"\(text.prefix(200))\" in \(takes.place)")
    }
    return (id, found)
  }

  /// Up to three titles of songs that differ from `text` by a few letters, the nearest first.
  func songs(near text: String) async throws -> [String] {
    let wanted = Array(text.lowercased())
    let titles = try await items(songs(nil, limit: searched, cursor: nil)).compactMap { $0["title"]?.string }
    let near = titles.map { (title: $0, distance: Spelling.distance(wanted, Array($0.lowercased()))) }
      .filter { $0.distance <= max(2, wanted.count / 3) }
    return near.sorted { ($0.distance, $0.title) < ($1.distance, $1.title) }.prefix(3).map(\.title)
  }

  /// The person with this identifier or name, ignoring case.
  /// - Throws: `CommandFailure` if no person or more than one matches, and errors of the book.
  func findPerson(_ text: String) async throws -> ParticipantID {
    if let id = ParticipantID(text), text.count == 26, try await person(id) != nil { return id }
    let found = try await items(people(.named(.participant, text), limit: searched, cursor: nil)).filter { person in
      ([person["name"]] + (person["names"]?.array ?? [])).contains { $0?.string?.lowercased() == text.lowercased() }
    }
    .compactMap { $0["id"]?.string.flatMap { ParticipantID($0) } }
    guard let id = found.first else {
      throw CommandFailure(ExitCodes.noInput, "nobody called \"\(text.prefix(64))\" has played in \(takes.place)")
    }
    guard found.count == 1 else {
      let all = found.map { "\($0)" }.joined(separator: ", ")
      throw CommandFailure(
        ExitCodes.usage, "several are called \"\(text)\"; give one of \(all), or merge them (jamjar people merge)")
    }
    return id
  }

  /// The take identified by `text`, with its identifier.
  func findTake(_ text: String) async throws -> (id: TakeID, json: JSONObject) {
    let take = try await takes.find(text)
    return (try take.identifier(in: takes), take.json)
  }

  private func items(_ page: JSONValue) -> [JSONObject] {
    page.object?["items"]?.array?.compactMap(\.object) ?? []
  }
}

extension BookCondition {
  /// Of this name, compared as a whole, whatever marks are in it.
  fileprivate static func named(_ field: BookTerm.NameField, _ name: String) -> BookCondition {
    .term(.named(field, NamePattern(name)))
  }
}
