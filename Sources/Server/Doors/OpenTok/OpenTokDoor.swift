import Hummingbird
import Machines
import Recording
import Rooms
import ServiceLifecycle
import Signaling

typealias OpenTokClientSession = Conversation<OpenTokServer, OpenTokSeat>

/// Apps made for OpenTok: the client wire at `/rumorwebsocketsv2`, the REST of the server SDKs, archives, broadcasts
/// and Audio Connectors.
struct OpenTokDoor: Door {
  static let kind = Authorisation.Door.opentok
  static let document = "docs/opentok-client.md"
  static var configuration: (any DoorConfiguration.Type)? { OpenTokConfiguration.self }
  static let path = "/rumorwebsocketsv2"
  /// A client says goodbye in Rumor. It closes a socket without a code when it has heard nothing for too long, and comes
  /// back; 1001 is its page's end.
  private static let leavings: Set<UInt16> = [1001]

  private let means: DoorMeans
  private let desk: OpenTokDesk
  private let clients: SessionRegistry<OpenTokClientSession>
  private let sockets = OpenTokSockets()
  private let callbacks: OpenTokCallbacks
  private let archives: OpenTokArchives
  private let broadcasts: OpenTokBroadcasts
  private let connectors: OpenTokConnectors

  /// - Throws: `ConfigurationProblem`.
  init(_ means: DoorMeans) throws {
    self.means = means
    let configuration = means.configuration
    let projects = configuration.doors[OpenTokConfiguration.self].projects
    desk = OpenTokDesk(projects, broker: means.broker, turnstile: means.turnstile)
    clients = means.registry()
    callbacks = try OpenTokCallbacks(desk, configuration: configuration.webhooks, road: means.callbackRoad)
    let bucket = projects.uploadsArchives ? configuration.objects : nil
    archives = OpenTokArchives(
      desk: desk, jobs: means.jobs, callbacks: callbacks, recordings: configuration.recordings,
      bucket: bucket.map { S3Store($0.address, credentials: $0.credentials) }, logger: means.logger)
    broadcasts = OpenTokBroadcasts(
      desk: desk,
      means: OpenTokBroadcasts.Means(
        encoders: means.encoders, route: means.route, recordings: configuration.recordings,
        reserve: configuration.backups.reserve),
      callbacks: callbacks, logger: means.logger)
    connectors = OpenTokConnectors(desk: desk, route: means.route, logger: means.logger)
  }

  func load() async {
    await callbacks.load()
    await archives.load()
    await broadcasts.load()
  }

  static func hasLink(at address: LinkAddress) -> Bool { address.parts == [String(path.dropFirst())] }

  /// A client names its sockets by `socketId`, and says `reconnect=true` when it comes back.
  func open(_ opening: LinkOpening, from origin: Turnstile.Origin) -> OpenedLink? {
    let number = clients.nextLink()
    let socket = opening.address.query("socketId").flatMap(OpenTokSockets.Name.init)
    let isReturning = opening.address.query("reconnect") == "true"
    func link(_ session: OpenTokClientSession) -> OpenedLink {
      OpenedLink(
        number: number, session: session, framing: RumorFraming(), limits: means.limits.kurento,
        leavings: OpenTokDoor.leavings)
    }
    let former = isReturning ? socket.flatMap(sockets.session) : nil
    if let session = former.flatMap(clients.find) {
      var returned = link(session)
      returned.enter = { _, outlet in
        guard await !session.resume(outlet, answering: OpenTokReturn()) else { return }
        outlet.close(LinkClosing(code: 1000, reason: "the session is over"))
      }
      return returned
    }
    let beginning: OpenTokOpening = socket == nil ? .fresh : isReturning ? .unknown : .named
    return session(socket, beginning, LinkBearer(token: nil, origin: origin), on: number).map(link)
  }

  /// A session for a new client, or for one whose session is not known any more.
  private func session(
    _ socket: OpenTokSockets.Name?, _ opening: OpenTokOpening, _ bearer: LinkBearer, on link: LinkNumber
  ) -> OpenTokClientSession? {
    clients.open { id in
      if let socket { sockets.settle(socket, session: id) }
      return OpenTokClientSession(
        id: id,
        OpenTokServer(sessionID: id, opening, on: link, limits: means.limits.kurentoTexts, at: MonotonicClock.now),
        OpenTokSeat(means, desk, sockets, bearer, session: id, socket: socket), in: clients)
    }
  }

  var routes: DoorRoutes {
    let (recordings, isSecure) = (means.configuration.recordings, means.isSecure)
    return DoorRoutes(
      anyOrigin: OpenTokSessionInfoResource(desk: desk, isSecure: isSecure).resources
        + OpenTokStreamFiles(broadcasts: broadcasts, recordings: recordings).resources,
      others: OpenTokResource(desk: desk, limits: means.limits).resources
        + OpenTokArchivesResource(desk: desk, archives: archives, recordings: recordings, isSecure: isSecure).resources
        + OpenTokBroadcastsResource(desk: desk, broadcasts: broadcasts, isSecure: isSecure).resources
        + OpenTokConnectorsResource(desk: desk, connectors: connectors).resources
        + OpenTokCallbacksResource(desk: desk, callbacks: callbacks).resources)
  }

  var services: [any Service] { [callbacks, archives, broadcasts, connectors, desk.sessions, clients] }
  var metricLines: [String] { OpenTokDoor.gauge("jamjar_opentok_connections", clients.count) }
}
