import Hummingbird
import Library
import Machines
import Recording
import Rooms
import ServiceLifecycle
import Signaling

typealias RemonSession = Conversation<RemonServer, RemonSeat>

/// Apps made for Remote Monster: the WebSocket at `/ws`, and REST.
struct RemonDoor: Door {
  static let kind = Authorisation.Door.remon
  static let document = "docs/remon.md"
  static var configuration: (any DoorConfiguration.Type)? { RemonConfiguration.self }
  /// A page that is closed does not come back; every other close without "disconnect" is a loss.
  private static let leavings: Set<UInt16> = [1001]

  private let means: DoorMeans
  private let sessions: SessionRegistry<RemonSession>
  private let desk: RemonDesk

  init(_ means: DoorMeans) {
    self.means = means
    sessions = means.registry()
    let configuration = means.configuration.doors[RemonConfiguration.self]
    let hooks = RemonHooks(
      configuration.hooks, index: means.broker.index, feed: means.broker.events, road: means.callbackRoad)
    desk = RemonDesk(configuration.services, hooks: hooks, broker: means.broker, turnstile: means.turnstile)
  }

  static func hasLink(at address: LinkAddress) -> Bool { address.parts == ["ws"] }

  func open(_ opening: LinkOpening, from origin: Turnstile.Origin) -> OpenedLink? {
    let number = sessions.nextLink()
    let bearer = LinkBearer(token: nil, origin: origin)
    let session = sessions.open { id in
      RemonSession(
        id: id, RemonServer(on: number, limits: means.limits.kurentoTexts, at: MonotonicClock.now),
        RemonSeat(RoomSeat(means, bearer, parking: means.parked), session: id, at: desk), in: sessions)
    }
    return session.map {
      OpenedLink(
        number: number, session: $0, framing: RemonFraming(), limits: means.limits.kurento,
        leavings: RemonDoor.leavings)
    }
  }

  var routes: DoorRoutes {
    DoorRoutes(
      anyOrigin: RemonResource(desk: desk, isSecure: means.isSecure).resources
        + RemonAdminResource(desk: desk, index: means.broker.library.index, backings: means.backings).resources
        + RemonMixerResource(desk: desk).resources)
  }

  var services: [any Service] { [desk.hooks, sessions] }

  var metricLines: [String] {
    RemonDoor.gauge("jamjar_remon_sessions", sessions.count) + ["# TYPE jamjar_remon_log_entries_total counter"]
      + desk.topics.current.sorted { $0.key < $1.key }.map { topic, count in
        "jamjar_remon_log_entries_total{topic=\"\(topic)\"} \(count)"
      }
  }
}
