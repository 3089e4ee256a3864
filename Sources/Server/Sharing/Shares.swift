import HTTPTypes
import Hummingbird
import Library
import Music
import NIOPosix
import Recording
import Rooms
import Signaling

/// Decides what a link opens: its secret, its expiry, its password. The only such place.
struct Shares: Sendable {
  let library: Library
  let turnstile: Turnstile

  /// A link that a visitor may use, and its take.
  struct Opened: Sendable {
    var share: Share
    var take: Take
    /// The visitor, for quotas: all visitors of a link are one party, and one more by their address.
    var visitor: Caller
  }

  /// The link of a request, with its password given.
  /// - Throws: `Problem` 404, 410, 401; `RoomRefusal` `.rateLimited`.
  func open(_ request: Request, _ context: ExchangeContext) async throws -> Opened {
    let opened = try await find(context)
    if let pass = SharePass(opened.share), !pass.isIn(request.head, at: MonotonicClock.wall) {
      throw Problem(
        .unauthorized, "share-password", "This link has a password",
        "send it to /s/{secret}/password, which answers with a cookie")
    }
    return opened
  }

  /// The link of a request, whether or not its password was given.
  func find(_ context: ExchangeContext) async throws -> Opened {
    let text = try context.part("secret")
    guard let secret = ShareSecret(text), let take = try await library.index.take(secret.take),
      let share = try await library.shares(of: take).first(where: { ConstantTime.equal($0.secretHash, secret.hash) })
    else {
      // 128 random bits are not guessed; this only keeps attempts from costing much.
      try turnstile.quotas.countWrongSecret(from: context.caller.address)
      throw Problem.unknownShare
    }
    let now = MonotonicClock.wall
    guard take.deletedAt == nil else {
      throw Problem.shareGone("the recording was deleted; ask whoever sent the link")
    }
    guard !share.hasExpired(at: now) else {
      throw Problem.shareGone("the link expired on \(share.expiresAt?.description ?? ""); ask for a new one")
    }
    let credential = Credential.token("share \(share.id)")
    turnstile.places.prove(context.channel, as: credential)
    let visitor = Caller(address: context.caller.address, credential: credential)
    try turnstile.quotas.begin(.request, visitor)
    return Opened(share: share, take: take, visitor: visitor)
  }

  /// Checks a password, on a thread for slow work.
  /// - Returns: the pass for a right password; nil for a link without one.
  /// - Throws: `Problem` 401, `RoomRefusal` `.rateLimited`.
  func pass(for password: String, to opened: Opened) async throws -> SharePass? {
    guard let pass = SharePass(opened.share) else { return nil }
    let hold = try turnstile.quotas.hold(.password, opened.visitor)
    defer { hold.release() }
    let isRight = try await NIOThreadPool.singleton.runIfActive { pass.password.fits(password) }
    guard isRight else {
      try turnstile.quotas.countWrongSecret(from: opened.visitor.address)
      throw Problem(
        .unauthorized, "share-password", "This is not the link's password",
        "the password is not right; ask whoever sent the link", field: "password")
    }
    return pass
  }
}

extension Problem {
  /// The same for what was revoked, what was purged, and what never was.
  static let unknownShare = Problem(
    .notFound, "unknown-share", "This link is not valid",
    "there is no such link; it may have been revoked, or a part of it is missing")

  static func shareGone(_ detail: String) -> Problem {
    Problem(.gone, "share-gone", "This link no longer holds", detail)
  }
}
