import HTTPTypes
import Hummingbird
import Machines
import Music
import Recording
import Signaling

/// Answers requests for one take, and for lists of takes, on the thread of their connection, before the router.
///
/// The way to Swift's threads and back costs more than the answer. What cannot be answered here at once goes to the router
/// unchanged: whatever is to be refused, has a body, chooses its fields, or has to wait for the index. Nothing is counted
/// of it, so that it is counted once. Rights, limits and texts are those of the router's handlers, from the same
/// functions.
struct PromptTakes: Sendable {
  static let serverName = "jamjar"
  private static let path = "/v1/takes"

  let takes: TakesResource
  let turnstile: Turnstile
  let origins: OriginPolicy
  let log: AccessLog
  let isSecure: Bool
  private let date = DateField()
  private let share = LoopShare()

  init(takes: TakesResource, turnstile: Turnstile, origins: OriginPolicy, log: AccessLog, isSecure: Bool) {
    self.takes = takes
    self.turnstile = turnstile
    self.origins = origins
    self.log = log
    self.isSecure = isSecure
  }

  /// True if a request with this head may be answered here, if it has no body.
  func mayAnswer(_ head: HTTPRequest) -> Bool {
    guard head.method == .get || head.method == .head, PromptTakes.wish(head) != nil else { return false }
    // The router ends connections, and waits for bodies.
    return head.headerFields[.connection].map { $0.lowercased() == "keep-alive" } ?? true
      && head.headerFields[.expect] == nil
  }

  /// The response; nil if the router has to answer.
  func answer(_ head: HTTPRequest, from connection: Turnstile.Origin) -> PageAnswer? {
    let origin = turnstile.origin(connection, head.headerFields)
    let start = MonotonicClock.now
    guard origins.objection(to: head.headerFields[.origin], authority: head.authority) == nil else { return nil }
    let request = Request(head: head, body: RequestBody(buffer: .init()))
    guard let wish = PromptTakes.wish(head),
      let (grant, caller) = turnstile.admitted(Gatekeeper.shown(in: request, at: .rest), at: .rest, from: origin),
      // Nothing is read for a client that is over its limit.
      turnstile.quotas.permits(.request, caller),
      var answer = share.run({ try? read(wish, request, grant.principal) }),
      // Last, because it counts.
      turnstile.quotas.beginIfPermitted(.request, caller)
    else { return nil }
    if isSecure { answer.headers[.strictTransportSecurity] = StrictTransport.policy }
    log.note(
      head.method, route: wish.route, id: RequestID().description, since: start, status: answer.status,
      in: &answer.headers)
    answer.headers[.date] = date.now
    answer.headers[.server] = PromptTakes.serverName
    return answer
  }

  private func read(_ wish: Wish, _ request: Request, _ principal: Principal) throws -> PageAnswer? {
    switch wish {
    case .list: try takes.listAtOnce(request, principal)
    case .take(let id): try takes.takeAtOnce(id, request, principal)
    }
  }

  /// What a request asks for.
  private enum Wish {
    case list
    case take(TakeID)

    /// As the router names it.
    var route: String {
      switch self {
      case .list: PromptTakes.path
      case .take: PromptTakes.path + "/{take}"
      }
    }
  }

  /// Nil for what is always the router's.
  private static func wish(_ head: HTTPRequest) -> Wish? {
    guard let path = head.path, path.hasPrefix(PromptTakes.path) else { return nil }
    let rest = path.utf8.dropFirst(PromptTakes.path.utf8.count)
    switch rest.first {
    case nil, UInt8(ascii: "?"): return .list
    case UInt8(ascii: "/"): return TakeID(String(Substring(rest.dropFirst()))).map(Wish.take)
    default: return nil
    }
  }
}
