import Hummingbird
import Machines
import NIOHTTP1
import Recording
import Rooms
import ServiceLifecycle
import Signaling

typealias XirSysSession = Conversation<XirSysServer, XirSysSeat>

/// Apps made for XirSys: dialect A at `/{token}` and `/ws/{token}`, dialect B at `/v2/{token}` and `/ws/v2/{token}`, and the
/// REST of versions 2 and 3.
struct XirSysDoor: Door, Lodger {
  static let kind = Authorisation.Door.xirsys
  static let document = "docs/xirsys.md"
  static var configuration: (any DoorConfiguration.Type)? { XirSysConfiguration.self }
  private static let leavings: Set<UInt16> = [1000, 1001]

  private let means: DoorMeans
  private let sessions: SessionRegistry<XirSysSession>
  private let desk: XirSysDesk
  private let resource: XirSysResource

  init(_ means: DoorMeans) {
    self.means = means
    sessions = means.registry()
    desk = XirSysDesk(
      means.configuration.doors[XirSysConfiguration.self].accounts, broker: means.broker, turnstile: means.turnstile)
    resource = XirSysResource(desk: desk, isSecure: means.isSecure)
  }

  static func hasLink(at address: LinkAddress) -> Bool { socket(at: address) != nil }

  /// The token of a socket's address, and its dialect. A token that nobody gave out is refused on the socket, in the words
  /// that clients look for.
  static func socket(at address: LinkAddress) -> (token: String, framing: XirSysVocabulary.Framing)? {
    guard let token = address.parts.last else { return nil }
    let shown = token.percentDecoded ?? token
    return switch Array(address.parts.dropLast()) {
    case []: isToken(token) ? (shown, .legacy) : nil
    case ["ws"]: (shown, .legacy)
    case ["v2"], ["ws", "v2"]: (shown, .channel)
    default: nil
    }
  }

  /// What could be a token, among all paths of one part.
  private static func isToken(_ text: String) -> Bool {
    (16...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  func open(_ opening: LinkOpening, from origin: Turnstile.Origin) -> OpenedLink? {
    guard let (token, framing) = XirSysDoor.socket(at: opening.address) else { return nil }
    let number = sessions.nextLink()
    let bearer = LinkBearer(token: nil, origin: origin)
    let (beginning, ticket) = desk.opening(token, from: bearer.address)
    let listener = XirSysListener(
      framing: framing, isPage: opening.headers.contains(name: "Origin"), path: ticket?.channel.path ?? "",
      room: ticket?.channel.roomText ?? "")
    let session = sessions.open { id in
      XirSysSession(
        id: id,
        XirSysServer(
          sessionID: id, beginning, as: listener, on: number, limits: means.limits.kurentoTexts, at: MonotonicClock.now),
        XirSysSeat(RoomSeat(means, bearer, parking: means.parked), session: id, in: desk.places), in: sessions)
    }
    return session.map {
      OpenedLink(
        number: number, session: $0, framing: XirSysFraming(), limits: means.limits.kurento,
        leavings: XirSysDoor.leavings)
    }
  }

  var routes: DoorRoutes {
    DoorRoutes(
      anyOrigin: resource.resources + XirSysChannelResource(desk: desk, isSecure: means.isSecure).resources)
  }

  func isMeant(by request: Request) -> Bool { XirSysResource.isMeant(request) }

  func answer(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    try await resource.answerRoom(request, context)
  }

  var services: [any Service] { [sessions] }
  var metricLines: [String] { XirSysDoor.gauge("jamjar_xirsys_sessions", sessions.count) }
}
