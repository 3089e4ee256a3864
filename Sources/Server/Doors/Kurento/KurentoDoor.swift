import HTTPTypes
import Hummingbird
import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import ServiceLifecycle
import Signaling

typealias KurentoSession = Conversation<KurentoServer, RoomSeat<KurentoWords>>

/// Another door that has REST at an address of this one.
protocol Lodger: Sendable {
  /// True if the request is the lodger's.
  func isMeant(by request: Request) -> Bool
  func answer(_ request: Request, _ context: ExchangeContext) async throws -> Response
}

/// Kurento Room: its WebSocket and its POST at `/room`, and its room server's REST.
struct KurentoDoor: Door {
  static let kind = Authorisation.Door.kurento
  static let document = "docs/kurento.md"
  static let leavings: Set<UInt16> = [1000, 1001]
  private static let path = "/room"

  private let means: DoorMeans
  private let sessions: SessionRegistry<KurentoSession>
  private let lodger: any Lodger

  /// - Parameter lodger: whose rooms have the same address.
  init(_ means: DoorMeans, lodger: any Lodger) {
    self.means = means
    self.lodger = lodger
    sessions = means.registry()
  }

  static func hasLink(at address: LinkAddress) -> Bool { address.parts == ["room"] }
  static func credential(in request: Request) -> String? { request.query("token") }
  static func room(of request: Request) -> RoomName? { request.query("room").flatMap(RoomName.init) }

  func open(_ opening: LinkOpening, from origin: Turnstile.Origin) -> OpenedLink? {
    session(KurentoClientTraits(opening), LinkBearer(token: opening.token, origin: origin)).map {
      OpenedLink(
        number: sessions.nextLink(), session: $0, limits: means.limits.kurento, leavings: KurentoDoor.leavings)
    }
  }

  private func session(_ traits: KurentoClientTraits, _ bearer: LinkBearer) -> KurentoSession? {
    bearer.showToken(to: means.turnstile, at: .kurento)
    return sessions.open { id in
      KurentoSession(
        id: id,
        KurentoServer(
          sessionID: id, traits: traits, limits: means.limits.kurentoTexts, rates: means.limits.kurentoRates,
          at: MonotonicClock.now),
        RoomSeat(means, bearer, parking: means.parked), in: sessions)
    }
  }

  var routes: DoorRoutes {
    let origins = means.configuration.originPolicy
    return DoorRoutes(anyOrigin: [room] + RoomServerResource(broker: means.broker, origins: origins).resources)
  }

  private var room: Resource {
    let exchange = KurentoExchange(limits: means.limits)
    return Resource(KurentoDoor.path, door: .kurento)
      .on(.get, .look) { [lodger] request, context in
        if lodger.isMeant(by: request) { return try await lodger.answer(request, context) }
        throw Problem.upgradeRequired(at: KurentoDoor.self)
      }
      .on(.delete, .knock) { [lodger] request, context in try await lodger.answer(request, context) }
      .on(.post, .knock) { request, context in
        if lodger.isMeant(by: request) { return try await lodger.answer(request, context) }
        let bearer = KurentoExchange.bearer(of: request, context)
        return try await exchange.answer(request, context, sessions) {
          session(KurentoClientTraits(request), bearer)
        }
      }
  }

  var services: [any Service] { [sessions] }
  var metricLines: [String] { KurentoDoor.gauge("jamjar_kurento_room_sessions", sessions.count) }
}

extension KurentoClientTraits {
  init(_ opening: LinkOpening) {
    self.init(
      hasOrigin: opening.headers.contains(name: "Origin"), hasUserAgent: opening.headers.contains(name: "User-Agent"))
  }

  init(_ request: Request) {
    self.init(hasOrigin: request.headers[.origin] != nil, hasUserAgent: request.headers[.userAgent] != nil)
  }
}
