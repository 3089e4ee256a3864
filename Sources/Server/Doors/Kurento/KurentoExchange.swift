import HTTPTypes
import Hummingbird
import NIOCore
import Rooms
import Signaling
import Synchronization

/// One JSON-RPC request in the body of a POST, as Kurento accepts it on the addresses of its WebSockets.
///
/// A client continues its session by `sessionId` in `params`; it receives no notifications this way.
struct KurentoExchange {
  let limits: ServerLimits

  /// How long a response may take: longer than any media operation.
  private static let patience = Duration.seconds(30)

  static func bearer(of request: Request, _ context: ExchangeContext) -> LinkBearer {
    LinkBearer(
      token: Gatekeeper.bearer(request.headers) ?? request.query("token"),
      origin: context.origin)
  }

  /// - Parameter open: a session for a client that names none.
  func answer<Session: SignalingSession>(
    _ request: Request, _ context: ExchangeContext, _ registry: SessionRegistry<Session>, open: () -> Session?
  ) async throws -> Response {
    let text = try await request.text(of: MediaTypeName.json, limit: limits.body)
    let known = JSONRPCSessionName.named(by: text, limits: json).flatMap(registry.find)
    guard let session = known ?? open() else { throw Problem.tooManySessions }
    let outlet = ExchangeOutlet(number: registry.nextLink(), origin: context.origin)
    await session.attach(outlet)
    await session.receive(text, from: outlet.number)
    let isNotification = isNotification(text)
    let answer = isNotification ? nil : await KurentoExchange.answer(of: outlet)
    await session.linkLost(outlet.number, isLeaving: false)
    if !outlet.isProven { context.verdict.refuse() }
    guard let answer else {
      guard isNotification else { throw Problem.noAnswer }
      return .empty(.noContent)
    }
    return Response(
      status: .ok, headers: [.contentType: MediaTypeName.json, .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: answer)))
  }

  private var json: JSONLimits { JSONLimits(bytes: limits.body, stringBytes: limits.body) }

  /// True for messages without a response; unreadable ones get a response with the reason.
  private func isNotification(_ text: String) -> Bool {
    guard let message = try? JSONValue(parsing: text, limits: json).object else { return false }
    return message["method"] == nil || message["id"] == nil || message["id"] == .null
  }

  private static func answer(of outlet: ExchangeOutlet) async -> String? {
    await withTaskGroup(of: String?.self) { group in
      group.addTask { await outlet.answer }
      group.addTask {
        try? await Task.sleep(for: patience)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
  }
}

extension Problem {
  static let tooManySessions = Problem(
    .serviceUnavailable, "unavailable", "Not available now",
    "this service has reached its limit of sessions; try again in a minute", headers: [.retryAfter: "60"])
  fileprivate static let noAnswer = Problem(
    .serviceUnavailable, "unavailable", "Not available now",
    "the request is already running, or took too long; send it again in a moment",
    headers: [.retryAfter: "5"])
}

/// The outlet of a session for one request by POST: carries the response and nothing else.
final class ExchangeOutlet: SessionOutlet {
  let number: LinkNumber
  let isLasting = false
  let origin: Turnstile.Origin
  private let proven = Atomic(false)
  private let texts: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  init(number: LinkNumber, origin: Turnstile.Origin) {
    (self.number, self.origin) = (number, origin)
    (texts, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  func send(_ text: String, _ receipt: TextReceipt?) {
    continuation.yield(text)
    continuation.finish()
  }

  func close(_ closing: LinkClosing) { continuation.finish() }

  func move(to session: any SignalingSession) {}

  func prove(as credential: Credential) { proven.store(true, ordering: .relaxed) }

  /// True if the session has proved something, now or before.
  var isProven: Bool { proven.load(ordering: .relaxed) }

  /// The response; nil if the session ended without one.
  var answer: String? {
    get async {
      for await text in texts { return text }
      return nil
    }
  }
}
