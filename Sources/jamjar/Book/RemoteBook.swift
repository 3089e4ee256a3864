import Client
import Music
import Rooms
import Server
import Signaling

/// The song book of a service, over REST.
struct RemoteBook: SongBook {
  private let source: RemoteSource

  init(_ source: RemoteSource) {
    self.source = source
  }

  var takes: any TakeSource { source }

  private func send(
    _ method: RESTClient.Method, _ path: String, _ body: JSONObject? = nil, ifRevision revision: Int? = nil
  ) async throws -> JSONObject {
    try await source.reaching {
      try await source.client.send(method, path, body.map { .object($0) }, ifRevision: revision).object ?? [:]
    }
  }

  private func page(_ path: String, _ pairs: [(String, String?)], limit: Int, cursor: String?) async throws -> JSONValue
  {
    let all = pairs + [("limit", "\(limit)"), ("cursor", cursor)]
    return try await source.get(path, all.compactMap { pair in pair.1.map { (pair.0, $0) } })
  }

  private func known(_ path: String) async throws -> JSONObject? {
    do {
      return try await send(.get, path)
    } catch let failure as RESTFailure where failure.status == 404 {
      return nil
    }
  }

  // MARK: Takes

  func edit(_ take: TakeID, _ patch: JSONObject, ifRevision revision: Int?) async throws -> JSONObject {
    try await send(.patch, "/v1/takes/\(take)", patch, ifRevision: revision)
  }

  func delete(_ take: TakeID) async throws -> JSONObject { try await send(.delete, "/v1/takes/\(take)") }
  func restore(_ take: TakeID) async throws -> JSONObject { try await send(.post, "/v1/takes/\(take)/restore", [:]) }

  func addCue(to take: TakeID, at position: Double, text: String) async throws -> JSONObject {
    try await send(.post, "/v1/takes/\(take)/cues", ["position": .number(position), "text": .string(text)])
  }

  func editCue(_ cue: CueID, of take: TakeID, at position: Double?, text: String?) async throws -> JSONObject {
    var patch: JSONObject = [:]
    if let position { patch["position"] = .number(position) }
    if let text { patch["text"] = .string(text) }
    return try await send(.patch, "/v1/takes/\(take)/cues/\(cue)", patch)
  }

  func removeCue(_ cue: CueID, of take: TakeID) async throws {
    _ = try await send(.delete, "/v1/takes/\(take)/cues/\(cue)")
  }

  func share(_ take: TakeID, _ wish: JSONObject) async throws -> JSONObject {
    try await send(.post, "/v1/takes/\(take)/shares", wish)
  }

  func shares(of take: TakeID) async throws -> JSONValue { try await source.get("/v1/takes/\(take)/shares", []) }

  func revokeShare(_ share: ShareID, of take: TakeID) async throws {
    _ = try await send(.delete, "/v1/takes/\(take)/shares/\(share)")
  }

  // MARK: Songs

  func songs(_ condition: BookCondition?, limit: Int, cursor: String?) async throws -> JSONValue {
    try await page("/v1/songs", [("q", condition?.description)], limit: limit, cursor: cursor)
  }

  func song(_ id: SongID) async throws -> JSONObject? { try await known("/v1/songs/\(id)") }
  func addSong(_ song: JSONObject) async throws -> JSONObject { try await send(.post, "/v1/songs", song) }

  func editSong(_ id: SongID, _ patch: JSONObject) async throws -> JSONObject {
    try await send(.patch, "/v1/songs/\(id)", patch)
  }

  func deleteSong(_ id: SongID) async throws { _ = try await send(.delete, "/v1/songs/\(id)") }

  // MARK: Sessions and people

  func sessions(_ query: SessionQuery) async throws -> JSONValue {
    try await page(
      "/v1/sessions",
      [
        ("room", query.room?.description), ("after", query.startedAfter?.description),
        ("before", query.startedBefore?.description),
      ], limit: query.limit, cursor: query.cursor)
  }

  func session(_ id: SessionID) async throws -> JSONObject? { try await known("/v1/sessions/\(id)") }

  func people(_ condition: BookCondition?, limit: Int, cursor: String?) async throws -> JSONValue {
    try await page("/v1/participants", [("q", condition?.description)], limit: limit, cursor: cursor)
  }

  func person(_ id: ParticipantID) async throws -> JSONObject? { try await known("/v1/participants/\(id)") }

  func renamePerson(_ id: ParticipantID, to name: String?) async throws -> JSONObject {
    try await send(.patch, "/v1/participants/\(id)", ["name": .optional(name)])
  }

  func mergePeople(_ others: [ParticipantID], into id: ParticipantID) async throws -> JSONObject {
    try await send(
      .post, "/v1/participants/\(id)/merge", ["participants": .array(others.map { .string($0.description) })])
  }
}
