import Library
import Logging
import Machines
import Music
import Recording
import Rooms
import ServiceLifecycle
import Signaling

/// The Audio Connectors of OpenTok: starts them, and looks after those that run.
///
/// A connector is a listener in the session's room. It ends with the session, with the service, by force disconnect, and
/// when its WebSocket server closes; it is known for an hour after that.
actor OpenTokConnectors: NamedService {
  struct Live {
    let session: OpenTokSessionID
    let membership: Membership
    let outlet: MixOutlet
    let link: ConnectorLink
    /// The musicians who are heard; nil for everybody.
    let heard: Set<ParticipantID>?
    /// What the server sends back; nil if it may not.
    let voice: ConnectorVoice?
    /// The player, and the reader of the room's events.
    var readers: [Task<Void, Never>] = []
    var sender: Task<Void, Never>?
  }

  private static let interval = Duration.seconds(1)
  /// How long a connector that has ended is known.
  private static let memory = MonotonicTime.Span.seconds(3_600)
  /// For the farewell from WebSocket servers, at the service's end.
  private static let farewell = MonotonicTime.Span.seconds(2)
  /// Most connectors of a project that run, and that are known.
  private static let mostLive = 50
  private static let most = 1_000

  let desk: OpenTokDesk
  let route: OutwardRoute
  let logger: Logger
  /// Those that run, and those that ended lately, oldest first.
  var all: [OpenTokConnector] = []
  var live: [String: Live] = [:]
  private var ended: [String: MonotonicTime] = [:]
  /// Starts that wait for their WebSocket servers, by project.
  private var starting: [String: Int] = [:]
  private var isStopping = false

  private var sessions: OpenTokSessions { desk.sessions }

  init(desk: OpenTokDesk, route: OutwardRoute, logger: Logger) {
    (self.desk, self.route, self.logger) = (desk, route, logger)
  }

  // MARK: Requests

  /// - Throws: `OpenTokRefusal` 404.
  func find(_ id: String, of project: OpenTokProject) throws(OpenTokRefusal) -> OpenTokConnector {
    guard let found = all.first(where: { $0.id == id.lowercased() && $0.project == project.key }) else {
      throw .notFound(
        "Audio Connector not found: there is none with the id \(id.prefix(64)) of this project; one that ended is known "
          + "for an hour")
    }
    return current(found)
  }

  /// Newest first, those that ended lately among them.
  func page(
    of project: OpenTokProject, session: String?, offset: Int, count: Int
  ) -> (total: Int, items: [OpenTokConnector]) {
    let known = all.reversed().filter { $0.project == project.key && (session == nil || $0.session == session) }
    return (known.count, known.dropFirst(max(0, offset)).prefix(max(0, count)).map { current($0) })
  }

  private func current(_ connector: OpenTokConnector) -> OpenTokConnector {
    var connector = connector
    if let link = live[connector.id]?.link { connector.lostMessages = link.lost }
    return connector
  }

  /// Opens the WebSocket, and comes into the session.
  /// - Throws: `OpenTokRefusal` 400 if the server is not reached within six seconds; 403, 404, 409, 429.
  func start(
    _ wish: OpenTokConnectorWish, in session: OpenTokSessionID, from origin: Turnstile.Origin
  ) async throws(OpenTokRefusal) -> OpenTokConnector {
    guard session.settings.mode == .routed else {
      throw .conflict(
        "Only routed sessions are allowed to initiate Audio Connector WebSocket connections. This one is relayed; create "
          + "it with p2p.preference=disabled")
    }
    let address = try address(of: wish)
    let claim = try desk.claim(wish.token, from: origin)
    guard claim.session.description == session.description else {
      throw .forbidden("Invalid token: it is for another session than that of \"sessionId\"")
    }
    guard claim.role.maySubscribe else {
      throw .forbidden("Invalid token: its role \(claim.role.rawValue) does not permit to hear others")
    }
    guard !wish.isBidirectional || claim.role.mayPublish else {
      throw .forbidden(
        "Invalid token: its role \(claim.role.rawValue) does not permit to publish, as bidirectional connectors do")
    }
    let heard = try await heard(by: wish, in: session)
    try begin(session.key)
    defer { starting[session.key, default: 1] -= 1 }
    let link = try await ConnectorLink.open(address, by: route)
    do throws(OpenTokRefusal) {
      guard !isStopping else { throw OpenTokConnectors.stopping }
      return try await enter(wish, claim, link, heard, at: address)
    } catch {
      link.finish()
      Task { await link.run() }
      throw error
    }
  }

  private static let stopping = OpenTokRefusal(status: 503, "the service is stopping; try again in a moment")

  private func begin(_ project: String) throws(OpenTokRefusal) {
    guard !isStopping else { throw OpenTokConnectors.stopping }
    let live = all.count(where: { $0.project == project && $0.isLive })
    // in range: as many as there are requests at most
    let running = live + starting[project, default: 0]
    guard running < OpenTokConnectors.mostLive else {
      throw OpenTokRefusal(
        status: 429, "\(running) Audio Connectors of this project run, the most of one; end some", retryAfter: 60)
    }
    guard all.count(where: { $0.project == project }) < OpenTokConnectors.most else {
      throw OpenTokRefusal(
        status: 429, "\(OpenTokConnectors.most) Audio Connectors within an hour are the most of a project",
        retryAfter: 60)
    }
    starting[project, default: 0] += 1
  }

  private func address(of wish: OpenTokConnectorWish) throws(OpenTokRefusal) -> WebhookURL {
    // As if it were one of the web: what may be a host, and how it is reached, is the same.
    guard let address = WebhookURL("http\(wish.uri.dropFirst("ws".utf8.count))") else {
      throw .badRequest(
        "the \"uri\" of websocket is no address such as wss://app.example/sound, without user or fragment")
    }
    if let number = address.address, !route.allowsPrivate, !WebhookAddress.isPublic(number) {
      throw .badRequest(
        "the uri at \(address.host) is in a private network or on this machine; --webhook-private allows such servers")
    }
    return address
  }

  private func heard(
    by wish: OpenTokConnectorWish, in session: OpenTokSessionID
  ) async throws(OpenTokRefusal) -> Set<ParticipantID>? {
    guard let state = await sessions.state(of: session) else { throw .nobodyConnected }
    guard let chosen = wish.streams else {
      return wish.hearsJoiners ? nil : Set(state.streams.map(\.participant))
    }
    var heard: Set<ParticipantID> = []
    for id in chosen {
      guard let stream = state.streams.first(where: { $0.id == id }) else {
        throw .notFound("Stream not found: \(id) is not in this session")
      }
      heard.insert(stream.participant)
    }
    return heard
  }

  private func enter(
    _ wish: OpenTokConnectorWish, _ claim: OpenTokToken.Claim, _ link: ConnectorLink, _ heard: Set<ParticipantID>?,
    at address: WebhookURL
  ) async throws(OpenTokRefusal) -> OpenTokConnector {
    let session = claim.session
    let id = OpenTokArchive.newID()
    guard let connection = OpenTokConnectionID(OpenTokArchive.newID()) else { throw .badRequest("there is no id") }
    let broker = desk.broker
    let voice: ConnectorVoice?
    do throws(OpusFailure) {
      voice = wish.isBidirectional ? try ConnectorVoice(rate: wish.rate, channels: wish.channels) : nil
    } catch {
      throw OpenTokRefusal(status: 500, "no sound can be made: \(error)")
    }
    let role: Role = voice == nil ? .listener : .musician
    let membership = try await desk.arrive(claim, as: connection) { name async throws(RoomRefusal) in
      try await broker.enter(
        session.room, JoinRequest(name: name, role: role, door: .opentok, address: "connector \(id)"))
    }
    let outlet: MixOutlet
    do throws(RoomRefusal) {
      // Not its own voice.
      outlet = try await broker.openOutlet(
        of: session.room, heard.map { .only($0) } ?? (voice == nil ? .everybody : .without(membership.participant)))
    } catch {
      await membership.leave()
      throw OpenTokRefusal(error)
    }
    let connector = OpenTokConnector(
      id: id, session: session, connection: connection, wish: wish,
      server: "\(address.isSecure ? "wss" : "ws")://\(address.authority)", wall: MonotonicClock.wall)
    all.append(connector)
    live[id] = Live(session: session, membership: membership, outlet: outlet, link: link, heard: heard, voice: voice)
    run(connector)
    if isStopping { end(id, .systemFailure) }
    return connector
  }

  // MARK: Life

  func end(_ id: String, _ reason: OpenTokConnector.Reason) {
    guard let entry = live.removeValue(forKey: id) else { return }
    ended[id] = MonotonicClock.now
    if let index = all.firstIndex(where: { $0.id == id }) {
      all[index].lostMessages = entry.link.lost
      if let message = all[index].end(reason, at: MonotonicClock.wall) { entry.link.say(message) }
    }
    entry.link.finish()
    for reader in entry.readers { reader.cancel() }
    logger.info("an Audio Connector ended", metadata: ["connector": "\(id)", "reason": "\(reason.rawValue)"])
    Task {
      await entry.outlet.close()
      await entry.membership.leave()
    }
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withDiscardingTaskGroup { group in
        group.addTask { await self.follow() }
        group.addTask { await self.keepLooking() }
      }
    }
    isStopping = true
    let senders = live.values.compactMap(\.sender)
    for id in Array(live.keys) { end(id, .systemFailure) }
    _ = try? await Deadline.race(OpenTokConnectors.farewell) { for sender in senders { await sender.value } }
  }

  /// What happens in a session may be something to tell.
  private func follow() async {
    while !Task.isCancelled {
      for await news in await sessions.news() {
        let room = news.session.room
        if live.values.contains(where: { $0.session.room == room }) { await look(at: news.session) }
      }
      // The reader was too slow, or the service ends.
      try? await Task.sleep(for: OpenTokConnectors.interval)
    }
  }

  private func keepLooking() async {
    while (try? await Task.sleep(for: OpenTokConnectors.interval)) != nil {
      for session in Set(live.values.map(\.session)) { await look(at: session) }
      let now = MonotonicClock.now
      for (id, time) in ended where now - time >= OpenTokConnectors.memory {
        ended[id] = nil
        all.removeAll { $0.id == id }
      }
    }
  }

  private func look(at session: OpenTokSessionID) async {
    let state = await sessions.state(of: session)
    let entries = live.filter { $0.value.session.room == session.room }
    let connectors = Set(entries.values.map(\.membership.participant))
    let isOccupied = state?.connections.contains { !connectors.contains($0.participant) } ?? false
    for (id, entry) in entries {
      guard let index = all.firstIndex(where: { $0.id == id }) else { continue }
      if all[index].look(isOccupied: isOccupied, at: MonotonicClock.now) {
        end(id, .sessionEnded)
        continue
      }
      let isActive = state?.streams.contains { stream in
        stream.hasAudio && entry.heard?.contains(stream.participant) ?? true
          && stream.participant != entry.membership.participant
      }
      if let message = all[index].hear(isActive ?? false) { entry.link.say(message) }
    }
  }
}
