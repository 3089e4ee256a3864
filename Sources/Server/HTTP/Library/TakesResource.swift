import HTTPTypes
import Hummingbird
import Library
import Music
import NIOCore
import NIOPosix
import Recording
import Rooms
import Signaling

/// `/v1/takes` and below: finding takes, editing them, moving them to the trash and back.
struct TakesResource {
  let library: Library
  var objects: Objects?
  let quotas: Quotas
  let limits: ServerLimits
  private let refinements = Refinements()
  /// 4 MiB each at most.
  private let recentTakes = RecentAnswers<TakeID, RecentTake>(most: 64, mostBytes: 65_536)
  private let recentPages = RecentAnswers<TakeQuery, RecentPage>(most: 16, mostBytes: 262_144)

  private var index: any TakeIndex { library.index }

  private static let filters = [
    "room", "song", "session", "participant", "state", "rating", "favourite", "tag", "after", "before", "q", "deleted",
    "sort", "fields", "expand",
  ]

  var resources: [Resource] {
    [
      Resource("/v1/takes").on(.get, .listTakes) { request, context in try await list(request, context.grant.principal)
      },
      Resource("/v1/takes/:take", options: [.acceptPatch: MediaTypeName.mergePatch])
        .on(.get, .readTake) { request, context in try await read(try await find(context), request) }
        .on(.patch, .editTake) { request, context in
          let fields = try await request.patch(TakePatch.fields, limit: limits.body)
          let patch = try TakePatch(fields)
          if let title = patch.songTitle, try await index.song(titled: title) == nil {
            try quotas.begin(.song, context.caller, room: context.grant.principal.room)
          }
          let take = try await patch.apply(
            to: try context.identifier("take"), in: library, ifRevision: try Revision.expected(request.headers))
          return try await answer(take, to: request)
        }
        .on(.delete, .discardTake) { request, context in
          let take = try await library.delete(
            try context.identifier("take"), ifRevision: try Revision.expected(request.headers))
          return try await answer(take, to: request)
        },
      Resource("/v1/takes/:take/restore").on(.post, .discardTake) { request, context in
        _ = try await request.fields([], limit: limits.body)
        let take = try await library.restore(
          try context.identifier("take"), ifRevision: try Revision.expected(request.headers))
        return try await answer(take, to: request)
      },
      Resource("/v1/takes/:take/fetch").on(.post, .readTake) { request, context in
        _ = try await request.fields([], limit: limits.body)
        return try await fetch(try await find(context), request)
      },
      Resource("/v1/takes/:take/tracks").on(.get, .readTake) { _, context in
        let take = try await find(context)
        let tracks = try await index.tracks(of: take.id)
        let lossless = await LosslessTracks.known(of: take, in: library.root)
        return Response(json: Representation.list(tracks.map { Representation.track($0, lossless) }, next: nil))
      },
    ]
  }

  private func find(_ context: ExchangeContext) async throws -> Take {
    let id: TakeID = try context.identifier("take")
    guard let take = try await index.take(id) else { throw Problem.unknownTake(id.description) }
    return take
  }

  /// Brings the sound files of a take back from the object store.
  private func fetch(_ take: Take, _ request: Request) async throws -> Response {
    guard take.state == .ready || take.state == .incomplete else { throw Problem.notReady(take) }
    if let objects {
      try await objects.keeping(nil, in: take.folder) {}
    } else if let report = await ObjectsReport.known(of: take, in: library.root), !report.isLocal {
      throw Problem(
        .conflict, "no-objects", "No object store is set up",
        "the take's sound is in \(report.place ?? "a store"), which this service was not given (--objects)")
    }
    return try await answer(take, to: request)
  }

  /// One take, with the members that the parameters choose.
  private func read(_ take: Take, _ request: Request) async throws -> Response {
    let members = try TakeMembers(ListQuery(anyOf: request), more: TakeMembers.ofOne)
    guard !members.areUsual else { return try await answer(take, to: request) }
    let cues = try await index.cues(of: take.id)
    let whole = await whole(take, cues)
    return Response(
      .object(try await members.chosen(of: whole, take, in: library)), revision: take.revision, to: request)
  }

  private func answer(_ take: Take, to request: Request) async throws -> Response {
    let cues = try await index.cues(of: take.id)
    return Response(.object(await whole(take, cues)), revision: take.revision, to: request)
  }

  private func whole(_ take: Take, _ cues: [Cue]) async -> JSONObject {
    Representation.take(
      take, cues: cues, refinement: await refinements.find(of: take, in: library.root),
      objects: await ObjectsReport.now(of: take, objects, in: library.root))
  }

  /// One take on the caller's thread; nil if that is not possible at once, or it is not for this client.
  func takeAtOnce(_ id: TakeID, _ request: Request, _ principal: Principal) throws -> PageAnswer? {
    // Reports of copies change without the index. Before the rows: a change in between costs one reading more.
    let edition = objects == nil ? index.edition : nil
    if let edition, let recent = recentTakes.answer(id, edition: edition) {
      guard isAllowed(principal, recent.room) else { return nil }
      if knownAtOnce(id, in: recent.folder) == recent.known {
        return PageAnswer(recent.body, tag: recent.tag, to: request, headers: [:])
      }
    }
    guard let found = try index.takeAtOnce(id), found.cues.count <= TakesResource.mostPromptCues,
      isAllowed(principal, found.take.room), let known = knownAtOnce(id, in: found.take.folder)
    else { return nil }
    let further = Representation.further(
      found.cues, known.refinement, objects.flatMap { $0.report(of: found.take, nil) })
    // Two objects become one.
    var text = found.text
    text.removeLast()
    text.append(UInt8(ascii: ","))
    text += JSONValue.object(further).bytes.dropFirst()
    text.append(0x0A)
    let (body, tag) = (ByteBuffer(bytes: text), Revision.tag(found.take.revision, of: text))
    if let edition {
      recentTakes.remember(
        id,
        RecentTake(
          edition: edition, room: found.take.room, folder: found.take.folder, known: known, body: body, tag: tag))
    }
    return PageAnswer(body, tag: tag, to: request, headers: [:])
  }

  private func isAllowed(_ principal: Principal, _ room: RoomName) -> Bool {
    let verdict = Authorisation.decide(principal, .readTake, on: .part(of: room), at: .rest)
    if case .allowed = verdict { return true }
    return false
  }

  /// What is known of the manifest in `folder`; nil where it has to be read, also for the report of copies, where there
  /// are some.
  private func knownAtOnce(_ id: TakeID, in folder: String) -> Refinements.Known? {
    let folder = try? TakeFolder(existing: folder, in: library.root)
    return folder?.has(TakeObjects.fileName) == true ? nil : refinements.known(of: id, in: folder)
  }

  /// Most cues that are written on a connection's thread; the others of that thread wait for it.
  private static let mostPromptCues = 100

  private func list(_ request: Request, _ principal: Principal) async throws -> Response {
    let (query, members) = try wish(request, principal)
    guard members.areUsual else {
      let page = try await index.takes(query)
      var items: [JSONValue] = []
      for take in page.items {
        items.append(.object(try await members.chosen(of: Representation.take(take), take, in: library)))
      }
      return Response(PageText(Page(items: items, next: page.next)) { $0 }, of: request)
    }
    return try await Response.page(of: query, in: index, to: request) { try await index.takeText($0) }
  }

  /// The same on the caller's thread; nil if that is not possible at once.
  func listAtOnce(_ request: Request, _ principal: Principal) throws -> PageAnswer? {
    guard case .allowed = Authorisation.decide(principal, .listTakes, on: .list, at: .rest) else { return nil }
    let (query, members) = try wish(request, principal)
    guard members.areUsual else { return nil }
    // An index that cannot tell its edition at once would not be read at once either.
    guard let tag = EntityTag(of: query, in: index) else { return nil }
    if let unchanged = PageAnswer(ifNoneMatch: tag, of: request) { return unchanged }
    if let recent = recentPages.answer(query, edition: tag) {
      return PageAnswer(recent.body, next: recent.next, tag: tag, of: request)
    }
    guard let page = try index.takeTextAtOnce(query) else { return nil }
    let body = PageAnswer.body(of: page)
    recentPages.remember(query, RecentPage(edition: tag, body: body, next: page.next))
    return PageAnswer(body, next: page.next, tag: tag, of: request)
  }

  /// What a request for the list asks for, within reach of its credentials.
  private func wish(_ request: Request, _ principal: Principal) throws -> (TakeQuery, TakeMembers) {
    let list = try ListQuery(request, permitted: TakesResource.filters)
    var query = try query(list)
    if let room = principal.room {
      guard query.room == nil || query.room == room else {
        throw RoomRefusal(.forbidden, "the join token is for the room \"\(room)\", whose takes it lists")
      }
      query.room = room
    }
    return (query, try TakeMembers(list))
  }

  private func query(_ list: ListQuery) throws(Problem) -> TakeQuery {
    TakeQuery(
      room: try list.room(), song: try list.identifier("song"), session: try list.identifier("session"),
      participant: try list.identifier("participant"), state: try list.word("state"),
      minimumRating: try list.integer("rating", in: TakeAnnotations.ratings),
      isFavourite: try list.bool("favourite"), tag: try list.text("tag"), startedAfter: try list.time("after"),
      startedBefore: try list.time("before"), condition: try list.condition("q"),
      shelf: try list.bool("deleted") == true ? .deleted : .kept, sort: try list.word("sort") ?? .newest,
      limit: try list.limit, cursor: list.cursor)
  }
}

/// The changes to a take by a merge patch; absent fields stay.
package struct TakePatch: Sendable {
  static let fields = ["title", "rating", "favourite", "notes", "tags", "song"]

  private enum SongChange: Sendable {
    case none
    case known(SongID)
    /// Found by its title, ignoring case, or created.
    case titled(String)
  }

  private var title: String??
  private var rating: Int??
  private var isFavourite: Bool?
  private var notes: String??
  private var tags: [String]?
  private var song: SongChange?

  init(_ fields: BodyFields) throws(Problem) {
    if fields.has("title") { title = .some(try fields.optionalString("title")) }
    if fields.has("rating") {
      let range = Int64(TakeAnnotations.ratings.lowerBound)...Int64(TakeAnnotations.ratings.upperBound)
      rating = .some(try fields.optionalInteger("rating", in: range).map { Int($0) })
    }
    if fields.has("favourite") { isFavourite = try fields.optionalBool("favourite") ?? false }
    if fields.has("notes") { notes = .some(try fields.optionalString("notes")) }
    if fields.has("tags") { tags = try fields.optionalStrings("tags") ?? [] }
    if fields.has("song") { song = try TakePatch.song(fields) }
  }

  /// For callers in this process; throws the same problems as REST.
  package init(_ object: JSONObject) throws(RESTFailure) {
    do throws(Problem) {
      try self.init(try BodyFields(object, permitted: TakePatch.fields))
    } catch {
      throw RESTFailure(error)
    }
  }

  /// `{"id": …}` or `{"title": …}`; null for no song.
  private static func song(_ fields: BodyFields) throws(Problem) -> SongChange {
    guard let members = try fields.optionalObject("song", permitted: ["id", "title"]) else { return .none }
    if let text = try members.optionalString("id") {
      guard let id = SongID(text) else {
        throw Problem.invalid("song.id", value: text, "\"song.id\" must be the id of a song, 26 characters")
      }
      return .known(id)
    }
    return .titled(try members.string("title"))
  }

  /// The title of a song that is made if there is none of that title.
  var songTitle: String? { if case .titled(let title) = song { title } else { nil } }

  /// - Throws: `LibraryError`.
  package func apply(to take: TakeID, in library: Library, ifRevision: Int?) async throws -> Take {
    let song: SongID??
    switch self.song {
    case nil: song = nil
    case .some(.none): song = .some(nil)
    case .known(let id): song = .some(id)
    case .titled(let title): song = .some(try await library.song(titled: title).id)
    }
    return try await library.edit(take, ifRevision: ifRevision) { edit in
      if let title { edit.annotations.title = title }
      if let rating { edit.annotations.rating = rating }
      if let isFavourite { edit.annotations.isFavourite = isFavourite }
      if let notes { edit.annotations.notes = notes }
      if let tags { edit.annotations.tags = tags }
      if let song { edit.song = song }
    }
  }
}
