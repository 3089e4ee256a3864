import HTTPTypes
import Hummingbird
import Library
import Music
import Recording
import Rooms
import Signaling

/// `/v1/songs`: the songs.
struct SongsResource {
  let library: Library
  let limits: ServerLimits

  private static let fields = SongPatch.fields

  var resources: [Resource] {
    [
      Resource("/v1/songs", options: [.acceptPost: MediaTypeName.json])
        .on(.get, .readSongs) { request, context in
          let query = try ListQuery(request, permitted: ["q"]).book(.songs, for: context.grant.principal)
          return try await Response.page(of: query, in: library.index, to: request) {
            PageText(try await library.index.songs($0), Representation.fullSong)
          }
        }
        .on(.post, .editSongs) { request, _ in
          let fields = try await request.fields(SongsResource.fields, limit: limits.body)
          let song = try SongsResource.song(fields, SongID(at: MonotonicClock.wall))
          return SongsResource.answer(try await library.createSong(song), to: request, .created)
        },
      Resource("/v1/songs/:song", options: [.acceptPatch: MediaTypeName.mergePatch])
        .on(.get, .readSongs) { request, context in
          let id: SongID = try context.identifier("song")
          guard let song = try await library.index.song(id), try await isKnown(id, to: context.grant.principal) else {
            throw LibraryError.unknownSong(id)
          }
          return SongsResource.answer(song, to: request)
        }
        .on(.put, .editSongs) { request, context in try await put(request, context) }
        .on(.patch, .editSongs) { request, context in try await patch(request, context) }
        .on(.delete, .editSongs) { request, context in
          try await library.deleteSong(
            try context.identifier("song"), ifRevision: try Revision.expected(request.headers))
          return .empty(.noContent)
        },
    ]
  }

  /// True if somebody may see a take of the song.
  private func isKnown(_ id: SongID, to principal: Principal) async throws -> Bool {
    guard let room = principal.room else { return true }
    return try await !library.index.takes(TakeQuery(room: room, song: id, limit: 1)).items.isEmpty
  }

  private static func answer(_ song: Song, to request: Request, _ status: HTTPResponse.Status = .ok) -> Response {
    Response(
      Representation.fullSong(song), revision: song.revision, to: request, status: status,
      location: status == .created ? "/v1/songs/\(song.id)" : nil)
  }

  private func put(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    guard let id = SongID(try context.part("song")) else {
      throw Problem.invalid("song", value: try context.part("song"), "a song's id is a ULID of 26 characters")
    }
    let fields = try await request.fields(SongsResource.fields, limit: limits.body)
    let song = try SongsResource.song(fields, id)
    if try Revision.makes("a song", request.headers) {
      do {
        return SongsResource.answer(try await library.createSong(song), to: request, .created)
      } catch LibraryError.songExists {
        throw Problem.preconditionFailed("there is a song \(id) already; send If-Match with its ETag to replace it")
      }
    }
    let stored = try await library.editSong(id, ifRevision: try Revision.expected(request.headers)) { $0 = song }
    return SongsResource.answer(stored, to: request)
  }

  private func patch(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let fields = try await request.patch(SongsResource.fields, limit: limits.body)
    let patch = try SongPatch(fields)
    let song = try await library.editSong(
      try context.identifier("song"), ifRevision: try Revision.expected(request.headers)
    ) { patch.apply(to: &$0) }
    return SongsResource.answer(song, to: request)
  }

  /// A whole song: absent fields are empty.
  private static func song(_ fields: BodyFields, _ id: SongID) throws(Problem) -> Song {
    var song = Song(id: id, title: try fields.string("title"))
    try SongPatch(fields).apply(to: &song)
    return song
  }
}

/// The changes to a song by a merge patch (RFC 7396); absent fields stay.
package struct SongPatch: Sendable {
  static let fields = ["title", "composers", "key", "tempo", "notes"]

  private var title: String?
  private var composers: [String]?
  private var key: String??
  private var tempo: TempoMap??
  private var notes: String??

  init(_ fields: BodyFields) throws(Problem) {
    if fields.has("title") { title = try fields.string("title") }
    if fields.has("composers") { composers = try fields.optionalStrings("composers") ?? [] }
    if fields.has("key") { key = .some(try fields.optionalString("key")) }
    if fields.has("tempo") { tempo = .some(try SongPatch.tempo(fields)) }
    if fields.has("notes") { notes = .some(try fields.optionalString("notes")) }
  }

  /// For callers in this process; throws the same problems as REST.
  package init(_ object: JSONObject) throws(RESTFailure) {
    do throws(Problem) {
      try self.init(try BodyFields(object, permitted: SongPatch.fields))
    } catch {
      throw RESTFailure(error)
    }
  }

  package func apply(to song: inout Song) {
    if let title { song.title = title }
    if let composers { song.composers = composers }
    if let key { song.key = key }
    if let tempo { song.tempo = tempo }
    if let notes { song.notes = notes }
  }

  private static func tempo(_ fields: BodyFields) throws(Problem) -> TempoMap? {
    let permitted = ["position", "beatsPerMinute", "beatsPerBar", "beatUnit"]
    guard let changes = try fields.optionalObjects("tempo", permitted: permitted) else { return nil }
    var map = TempoMap(changes: [])
    for change in changes {
      map.changes.append(
        TempoMap.Change(
          position: try change.optionalPosition("position") ?? .zero,
          beatsPerMinute: try change.number("beatsPerMinute"),
          beatsPerBar: Int(try change.optionalInteger("beatsPerBar", in: 1...64) ?? 4),
          beatUnit: Int(try change.optionalInteger("beatUnit", in: 1...64) ?? 4)))
    }
    return map
  }
}
