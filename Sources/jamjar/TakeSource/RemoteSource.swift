import Client
import Foundation
import Machines
import Music
import Recording
import Server
import Signaling

/// The takes of a service, requested over REST.
struct RemoteSource: TakeSource {
  let client: RESTClient
  let place: String
  /// Says why the service cannot be reached.
  let unreachable: Unreachable

  /// Page size when searching for a take by a prefix of its identifier.
  private static let page = 200
  /// Maximum difference between a take's start and the time in its identifier, in milliseconds.
  private static let slack: Int64 = 60_000

  /// - Throws: `CommandFailure` if the key cannot be sent in a header.
  init(_ address: ServerAddress, key: String?) throws(CommandFailure) {
    // A line break would start another header.
    if let key, !key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
      throw CommandFailure(ExitCodes.usage, "the token has blanks or control characters; permitted: visible ASCII")
    }
    client = RESTClient(endpoint: address.endpoint, key: key.map { Secret($0) })
    place = address.place
    unreachable = Unreachable(address.endpoint, place: address.place)
  }

  func takes(_ filter: TakeFilter) async throws -> JSONValue {
    var pairs = [("limit", "\(filter.limit)")]
    if let room = filter.room { pairs.append(("room", room)) }
    if let song = filter.song { pairs.append(("song", song.description)) }
    if let state = filter.state { pairs.append(("state", state)) }
    if let session = filter.session { pairs.append(("session", session.description)) }
    if let participant = filter.participant { pairs.append(("participant", participant.description)) }
    if let rating = filter.rating { pairs.append(("rating", "\(rating)")) }
    if let tag = filter.tag { pairs.append(("tag", tag)) }
    if let isFavourite = filter.isFavourite { pairs.append(("favourite", "\(isFavourite)")) }
    if let after = filter.after { pairs.append(("after", after.description)) }
    if let before = filter.before { pairs.append(("before", before.description)) }
    if let condition = filter.condition { pairs.append(("q", condition.description)) }
    if filter.isDeleted { pairs.append(("deleted", "true")) }
    if filter.sort != .newest { pairs.append(("sort", filter.sort.rawValue)) }
    if let cursor = filter.cursor { pairs.append(("cursor", cursor)) }
    return try await get("/v1/takes", pairs)
  }

  func takes(beginningWith prefix: String) async throws -> [TakeView] {
    guard let range = TakeID.range(beginningWith: prefix) else { return [] }
    let earliest = Int64(clamping: range.lowerBound.ulid.high >> 16) - RemoteSource.slack
    var found: [TakeView] = []
    for isDeleted in [false, true] {
      found += try await takes(in: range, since: earliest, isDeleted: isDeleted)
    }
    return found
  }

  private func takes(
    in range: ClosedRange<TakeID>, since earliest: Int64, isDeleted: Bool
  ) async throws -> [TakeView] {
    var found: [TakeView] = []
    var filter = TakeFilter(isDeleted: isDeleted, limit: RemoteSource.page)
    // Newest first: no matches can follow once the takes are older than the prefix's time.
    repeat {
      let page = try await takes(filter).object
      let takes = page?["items"]?.array?.compactMap(\.object).map(TakeView.init) ?? []
      found += takes.filter { TakeID($0.id).map(range.contains) ?? false }
      let isPast = takes.last.flatMap { WallTime($0.startedAt) }.map { $0.milliseconds < earliest } ?? true
      filter.cursor = isPast ? nil : page?["next"]?.string
    } while filter.cursor != nil && found.count < 5
    return found
  }

  func take(_ id: TakeID) async throws -> TakeView? {
    try await found { try await get("/v1/takes/\(id)") }?.object.map(TakeView.init)
  }

  func fetch(_ id: TakeID) async throws -> TakeView {
    TakeView(
      try await reaching { try await client.send(.post, "/v1/takes/\(id)/fetch", [:], isLong: true).object ?? [:] })
  }

  func tracks(of take: TakeView) async throws -> [JSONValue] {
    try await get("/v1/takes/\(take.id)/tracks").object?["items"]?.array ?? []
  }

  func manifest(of take: TakeView) async throws -> Manifest? {
    var bytes: [UInt8] = []
    do {
      try await reaching { try await client.download("/v1/takes/\(take.id)/manifest", limit: 64 << 20) { bytes += $0 } }
    } catch let failure as RESTFailure where failure.status == 404 || failure.status == 409 {
      return nil
    }
    return try Manifest(decoding: bytes, path: "\(place)/v1/takes/\(take.id)/manifest")
  }

  func place(of take: TakeView, manifest: Manifest?) -> String { "\(place)/v1/takes/\(take.id)" }

  func place(of file: Manifest.File, in folder: String, of take: TakeView) -> JSONObject {
    let path =
      switch (file.role, file.track) {
      case (.track, let track?): "tracks/\(track)/audio"
      case (.peaks, let track?): "tracks/\(track)/peaks"
      case (.mix, _): "mix"
      case (.peaks, nil): "peaks"
      case (.quality, _): "quality"
      default: "manifest"
      }
    return ["url": .string("\(place)/v1/takes/\(take.id)/\(path)")]
  }

  func get(_ path: String, _ pairs: [(String, String)] = []) async throws -> JSONValue {
    try await reaching { try await client.get(path, query: pairs) }
  }

  /// The response; nil if the service does not know the resource.
  private func found(_ body: () async throws -> JSONValue) async throws -> JSONValue? {
    do {
      return try await body()
    } catch let failure as RESTFailure where failure.status == 404 {
      return nil
    }
  }

  /// An error naming the service that could not be reached.
  func reaching<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
    do {
      return try await body()
    } catch let failure as RESTFailure {
      throw failure
    } catch let failure as CommandFailure {
      throw failure
    } catch let interruption as Interruption {
      throw interruption
    } catch {
      throw CommandFailure(ExitCodes.unavailable, await unreachable.sentence(error, at: MonotonicClock.wall))
    }
  }
}
