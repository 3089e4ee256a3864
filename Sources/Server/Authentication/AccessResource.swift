import HTTPTypes
import Hummingbird
import Machines
import Music
import NIOCore
import NIOHTTP1
import Signaling

/// `/v1/access`: gives the web studio its key or token as a cookie that no script can read, and says what it is worth.
///
/// The credential is not checked when it is kept; every request that shows it is, and wrong ones count. So this is no
/// door for guessing.
struct AccessResource {
  let turnstile: Turnstile
  /// True if the service speaks TLS itself.
  let isSecure: Bool
  let limits: ServerLimits

  var resources: [Resource] {
    [
      Resource("/v1/access")
        .on(.get, .look) { request, context in
          try request.checkQuery(only: [])
          return Response(json: .object(try describe(Gatekeeper.shown(in: request, at: .rest), context)))
        }
        .on(.put, .look) { request, _ in
          try AccessResource.checkOrigin(request)
          let fields = try await request.fields(["credential"], limit: limits.body)
          let credential = try fields.string("credential")
          guard AccessCookie.permits(credential) else {
            // The value is a secret and is not repeated.
            throw Problem.invalid(
              "credential", value: nil,
              "\"credential\" must be an API key or a join token: 1 to \(JSONWebToken.maximumBytes) printable ASCII "
                + "characters without blanks")
          }
          return answer(AccessCookie.field(credential, isSecure: isSecure(request)))
        }
        .on(.delete, .look) { request, _ in
          try AccessResource.checkOrigin(request)
          return answer(AccessCookie.field(nil, isSecure: isSecure(request)))
        }
    ]
  }

  /// What the credential of a request is worth.
  /// - Throws: `RoomRefusal` `.rateLimited` after too many wrong ones.
  private func describe(_ shown: String?, _ context: ExchangeContext) throws(RoomRefusal) -> JSONObject {
    guard !turnstile.gatekeeper.isOpen else { return ["state": "open"] }
    guard let shown else { return ["state": "none"] }
    // Signed by this service, so no attempt at guessing: somebody opens an old link.
    if let lapse = turnstile.gatekeeper.lapse(of: shown) { return ["state": .string(lapse.rawValue)] }
    do throws(RoomRefusal) {
      let grant = try turnstile.admit(shown, at: .rest, from: context.origin).grant
      let expiry = grant.principal.token?.expiry.map { WallTime(milliseconds: Int64(saturating: $0 * 1e3)) }
      return [
        "state": "valid", "authority": .string(grant.principal.authority.rawValue),
        "room": .optional(grant.principal.room?.description), "name": .optional(grant.name),
        "expiresAt": .optional(expiry?.description),
      ]
    } catch  where error.code == .unauthorized {
      return ["state": "unknown"]
    }
  }

  /// Behind a proxy that ends TLS, the page's origin says that it is secure.
  private func isSecure(_ request: Request) -> Bool {
    isSecure || request.headers[.origin]?.hasPrefix("https://") == true
  }

  private func answer(_ cookie: String) -> Response {
    .empty(.noContent, headers: [.setCookie: cookie, .cacheControl: "no-store"])
  }

  /// A page of another origin must not sign its visitor in or out.
  private static func checkOrigin(_ request: Request) throws(Problem) {
    guard let origin = request.headers[.origin] else { return }
    guard AccessCookie.isOwn(origin, of: request.head.authority) else {
      throw Problem(RoomRefusal(.forbidden, "only pages of this service may keep a key here"))
    }
  }
}

extension AccessCookie {
  /// How long a browser keeps it, in seconds: 30 days.
  private static let maximumAge = 30 * 86_400

  static func permits(_ credential: String) -> Bool {
    (1...JSONWebToken.maximumBytes).contains(credential.utf8.count)
      && credential.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  /// The value of Set-Cookie (RFC 6265 section 4.1) that keeps `credential`, or forgets it.
  static func field(_ credential: String?, isSecure: Bool) -> String {
    "\(name)=\(credential?.percentEncoded ?? ""); Max-Age=\(credential == nil ? 0 : maximumAge); Path=/; HttpOnly; "
      + "SameSite=Strict" + (isSecure ? "; Secure" : "")
  }

  /// The credential of a WebSocket's opening. Its page must be our own, as for a request that changes something:
  /// WebSockets have no same-origin rule.
  static func credential(in head: HTTPRequestHead) -> String? {
    var request = HTTPRequest(
      method: .post, scheme: nil, authority: head.headers.first(name: "Host"), path: head.uri)
    request.headerFields[values: .cookie] = head.headers["Cookie"]
    request.headerFields[.origin] = head.headers.first(name: "Origin")
    return credential(in: request)
  }

  /// True if `origin` is that of the pages of `authority`.
  static func isOwn(_ origin: String, of authority: String?) -> Bool {
    guard let scheme = origin.firstRange(of: "://"), let authority else { return false }
    return origin[scheme.upperBound...] == authority
  }
}
