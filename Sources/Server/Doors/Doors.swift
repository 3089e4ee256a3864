import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Signaling

/// All doors that have conversations.
struct Doors: Sendable {
  /// **The list**: a dialect has a line here and one in `init`, in this order. XirSys is last, since its tokens look like
  /// any word.
  static let kinds: [any Door.Type] = [
    NativeDoor.self, KurentoDoor.self, KurentoTreeDoor.self, RemonDoor.self, OpenTokDoor.self, XirSysDoor.self,
  ]

  let all: [any Door]
  private let means: DoorMeans

  /// - Throws: `ConfigurationProblem`.
  init(_ means: DoorMeans) throws {
    self.means = means
    let xirsys = XirSysDoor(means)
    all = [
      NativeDoor(means), KurentoDoor(means, lodger: xirsys), KurentoTreeDoor(means), RemonDoor(means),
      try OpenTokDoor(means), xirsys,
    ]
  }

  /// The door that has a WebSocket at `address`.
  static func kind(at address: LinkAddress) -> (any Door.Type)? { kinds.first { $0.hasLink(at: address) } }

  static func kind(of door: Authorisation.Door) -> (any Door.Type)? { kinds.first { $0.kind == door } }

  var services: [any Service] { all.flatMap(\.services) }
  var metricLines: [String] { all.flatMap(\.metricLines) }
  var routes: [DoorRoutes] { all.map(\.routes) }

  func load() async {
    for door in all { await door.load() }
  }

  /// Serves a WebSocket of any door until it is closed.
  func serve(_ stream: HTTPOrWebSocketChannel.WebSocketStream, _ opening: LinkOpening) async {
    let turnstile = means.turnstile
    let origin = turnstile.origin(
      Turnstile.Origin(stream.channel), forwardedFor: opening.headers["X-Forwarded-For"],
      forwarded: opening.headers["Forwarded"])
    // A proxy's connections are not counted, but each of these is one client's for as long as it lasts.
    let hold = origin.isForwarded ? try? turnstile.quotas.connect(from: origin.address) : nil
    guard hold != nil || !origin.isForwarded else { return stream.channel.close(promise: nil) }
    defer { hold?.release() }
    let door = all.first { type(of: $0).hasLink(at: opening.address) }
    guard let opened = door?.open(opening, from: origin) else {
      means.logger.warning("a connection was closed because this service has reached its limit of sessions")
      return stream.channel.close(promise: nil)
    }
    await SessionLink(
      number: opened.number, session: opened.session, framing: opened.framing, compression: opening.compression,
      origin: origin, places: turnstile.places, limits: opened.limits, leavings: opened.leavings, logger: means.logger,
      enter: opened.enter
    ).run(stream)
  }
}
