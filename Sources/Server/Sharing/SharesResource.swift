import HTTPTypes
import Hummingbird
import Library
import Music
import NIOPosix
import Recording
import Rooms
import Signaling

/// `/v1/takes/{take}/shares`: links by which people without an account hear a take.
struct SharesResource {
  let library: Library
  let light: ShareLight
  let quotas: Quotas
  let limits: ServerLimits

  var resources: [Resource] {
    [
      Resource("/v1/takes/:take/shares", options: [.acceptPost: MediaTypeName.json])
        .on(.get, .shareTake) { request, context in
          try request.checkQuery(only: [])
          let take = try await find(context)
          let now = MonotonicClock.wall
          let items = try await library.shares(of: take).map { JSONValue.object(Representation.share($0, at: now)) }
          return Response(json: Representation.list(items, next: nil))
        }
        .on(.post, .shareTake) { request, context in try await add(request, context) },
      Resource("/v1/takes/:take/shares/:share")
        .on(.delete, .shareTake) { _, context in
          let id: ShareID = try context.identifier("share")
          guard try await library.revoke(id, of: try context.identifier("take")) else {
            throw Problem.notFound("the take has no link \(id); GET its shares to list them")
          }
          return .empty(.noContent)
        },
    ]
  }

  private func find(_ context: ExchangeContext) async throws -> Take {
    let id: TakeID = try context.identifier("take")
    guard let take = try await library.index.take(id) else { throw Problem.unknownTake(id.description) }
    return take
  }

  private func add(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let wish = try ShareWish(try await request.fields(ShareWish.fields, limit: limits.body), at: MonotonicClock.wall)
    let take = try await find(context)
    guard take.state == .ready || take.state == .incomplete else { throw Problem.notReady(take) }
    // Hashing a password is as slow as checking one.
    let hold = try wish.hasPassword ? quotas.hold(.password, context.caller) : nil
    defer { hold?.release() }
    let made = try await wish.make(take.id, in: library)
    // The first visitor should find it.
    if wish.contents.hasMix { _ = await light.find(take) }
    return Response(
      json: .object(made), status: .created,
      headers: [.location: "/v1/takes/\(take.id)/shares/\(made["id"]?.string ?? "")"])
  }
}

/// What a new link is to be, from the members of a body.
package struct ShareWish: Sendable {
  static let fields = ["contents", "title", "expiresAt", "password", "comments"]

  private(set) var contents: Share.Contents
  private var title: String?
  private var expiresAt: WallTime?
  private var password: String?
  private var isOpenToComments: Bool

  var hasPassword: Bool { password != nil }

  init(_ fields: BodyFields, at now: WallTime) throws(Problem) {
    let words = Share.Contents.allCases.map { ($0.rawValue, $0) }
    contents =
      fields.value("contents") == nil
      ? .mix : try fields.word("contents", among: Dictionary(words, uniquingKeysWith: { first, _ in first }))
    title = try fields.optionalString("title")
    isOpenToComments = try fields.optionalBool("comments") ?? true
    password = try fields.optionalString("password")
    if let password, !PasswordHash.permitted.contains(password.utf8.count) {
      // The value is a secret and is not repeated.
      throw Problem.invalid(
        "password", value: nil,
        "\"password\" must have \(PasswordHash.permitted.lowerBound) to "
          + "\(PasswordHash.permitted.upperBound) bytes; leave it out for a link without one")
    }
    guard let text = try fields.optionalString("expiresAt") else { return }
    guard let time = WallTime(text), time > now else {
      throw Problem.invalid(
        "expiresAt", value: text,
        "\"expiresAt\" must be a time to come of RFC 3339, such as 2036-11-21T19:04:05Z; "
          + "leave it out for a link that holds until it is revoked")
    }
    expiresAt = time
  }

  /// For callers in this process; throws the same problems as REST.
  package init(_ object: JSONObject) throws(RESTFailure) {
    do throws(Problem) {
      try self.init(try BodyFields(object, permitted: ShareWish.fields), at: MonotonicClock.wall)
    } catch {
      throw RESTFailure(error)
    }
  }

  /// Makes the link; its JSON has the path, which nobody can learn afterwards.
  /// - Throws: `LibraryError`.
  package func make(_ take: TakeID, in library: Library) async throws -> JSONObject {
    var hash: PasswordHash?
    if let password {
      hash = try await NIOThreadPool.singleton.runIfActive { PasswordHash.make(of: password) }
      guard hash != nil else { throw Problem.internalError }
    }
    let (secret, now) = (ShareSecret(for: take), MonotonicClock.wall)
    let share = Share(
      id: ShareID(at: now), contents: contents, title: title, createdAt: now, expiresAt: expiresAt,
      isOpenToComments: isOpenToComments, secretHash: secret.hash, password: hash)
    _ = try await library.share(take, as: share)
    var object = Representation.share(share, at: now)
    object["path"] = .string("/s/\(secret.text)")
    return object
  }
}

extension Representation {
  /// A link without its secret.
  package static func share(_ share: Share, at now: WallTime) -> JSONObject {
    [
      "id": .string(share.id.description), "contents": .string(share.contents.rawValue),
      "title": .optional(share.title), "createdAt": .string(share.createdAt.description),
      "expiresAt": .optional(share.expiresAt?.description), "expired": .bool(share.hasExpired(at: now)),
      "password": .bool(share.password != nil), "comments": .bool(share.isOpenToComments),
    ]
  }

  static func comment(_ comment: CueComment) -> JSONValue {
    [
      "share": .string(comment.share.description), "name": .string(comment.name.description),
      "hidden": .bool(comment.isHidden),
    ]
  }
}
