import Hummingbird
import Machines
import Recording
import Rooms
import ServiceLifecycle
import Signaling

typealias KurentoTreeSession = Conversation<KurentoTreeServer, TreeSeat>

/// Kurento Tree: its WebSocket and its POST at `/kurento-tree`, and SockJS below it.
struct KurentoTreeDoor: Door {
  static let kind = Authorisation.Door.kurentoTree
  static let document = "docs/kurento.md"
  /// As SockJS names the WebSocket without its frames.
  private static let paths = ["/kurento-tree", "/kurento-tree/websocket"]

  let means: DoorMeans
  let sessions: SessionRegistry<KurentoTreeSession>
  let sockets: SockJSLinks
  private let forest: Trees

  init(_ means: DoorMeans) {
    self.means = means
    sessions = means.registry()
    sockets = SockJSLinks(limits: means.limits)
    forest = Trees(broker: means.broker)
  }

  static func hasLink(at address: LinkAddress) -> Bool {
    address.parts == ["kurento-tree"] || address.parts == ["kurento-tree", "websocket"]
      || SockJSResource.isWebSocket(address.parts)
  }

  static func credential(in request: Request) -> String? { request.query("token") }

  func open(_ opening: LinkOpening, from origin: Turnstile.Origin) -> OpenedLink? {
    session(KurentoClientTraits(opening), LinkBearer(token: opening.token, origin: origin)).map {
      OpenedLink(
        number: sessions.nextLink(), session: $0,
        framing: SockJSResource.isWebSocket(opening.address.parts) ? SockJSFraming() : PlainFraming(),
        limits: means.limits.kurento,
        leavings: KurentoDoor.leavings)
    }
  }

  func session(_ traits: KurentoClientTraits, _ bearer: LinkBearer) -> KurentoTreeSession? {
    bearer.showToken(to: means.turnstile, at: .kurentoTree)
    return sessions.open { id in
      KurentoTreeSession(
        id: id,
        KurentoTreeServer(
          sessionID: id, traits: traits, limits: means.limits.kurentoTexts, rates: means.limits.kurentoRates,
          at: MonotonicClock.now),
        TreeSeat(forest, means.turnstile, session: id, bearer), in: sessions)
    }
  }

  var routes: DoorRoutes {
    DoorRoutes(
      anyOrigin: KurentoTreeDoor.paths.map(exchange), anyOriginWithCookies: SockJSResource(door: self).resources)
  }

  private func exchange(_ path: String) -> Resource {
    let exchange = KurentoExchange(limits: means.limits)
    return Resource(path, door: .kurentoTree)
      .on(.get, .look) { _, _ in throw Problem.upgradeRequired(at: KurentoTreeDoor.self) }
      .on(.post, .knock) { request, context in
        let bearer = KurentoExchange.bearer(of: request, context)
        return try await exchange.answer(request, context, sessions) {
          session(KurentoClientTraits(request), bearer)
        }
      }
  }

  var services: [any Service] { [sessions, sockets, forest] }
  var metricLines: [String] {
    KurentoTreeDoor.gauge("jamjar_kurento_tree_sessions", sessions.count)
      + KurentoTreeDoor.gauge("jamjar_sockjs_links", sockets.count)
      + KurentoTreeDoor.gauge("jamjar_trees", forest.count)
  }
}
