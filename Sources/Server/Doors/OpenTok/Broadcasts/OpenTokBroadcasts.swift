import Library
import Logging
import Machines
import Music
import Recording
import Rooms
import ServiceLifecycle
import Signaling

/// The broadcasts of OpenTok: starts and stops them, and looks after those that run.
///
/// They end with the service, and are known for an hour after their end.
actor OpenTokBroadcasts: NamedService {
  struct Live {
    let session: OpenTokSessionID
    let broadcaster: OpenTokBroadcaster
    /// Plays the mix; another one follows when others are to be heard.
    var player: Task<Void, Never>
    var heard: Set<ParticipantID>?
    /// The connections and the files.
    var workers: [Task<Void, Never>]
  }

  /// What a broadcast sends with.
  struct Means: Sendable {
    var encoders: AACBroadcasts
    var route: OutwardRoute
    /// The data folder, and the bytes in it that stay free for recordings.
    var recordings: String
    var reserve: Int64
  }

  static let interval = Duration.seconds(1)
  /// How long the files of an ended broadcast stay, for players that are behind.
  static let shelfLife = MonotonicTime.Span.seconds(60)
  /// How long an ended broadcast is known.
  static let memory = MonotonicTime.Span.seconds(3_600)
  /// For the farewell from RTMP servers.
  static let farewell = Duration.seconds(2)
  /// Most broadcasts of a project that are known.
  private static let most = 1_000

  let sessions: OpenTokSessions
  let broker: Broker
  let means: Means
  let callbacks: OpenTokCallbacks
  let logger: Logger
  /// Those that run, and those that ended lately, oldest first.
  var all: [OpenTokBroadcast] = []
  var live: [String: Live] = [:]
  var ended: [String: MonotonicTime] = [:]
  /// By the broadcast's id.
  var shelves: [String: HLSShelf] = [:]
  /// Callbacks are told one after the other.
  var lastTold: Task<Void, Never>?
  var isStopping = false

  init(desk: OpenTokDesk, means: Means, callbacks: OpenTokCallbacks, logger: Logger) {
    (sessions, broker) = (desk.sessions, desk.broker)
    (self.means, self.callbacks, self.logger) = (means, callbacks, logger)
  }

  // MARK: Requests

  /// - Throws: `OpenTokRefusal` 404.
  func find(_ id: String, of project: OpenTokProject) throws(OpenTokRefusal) -> OpenTokBroadcast {
    guard let found = all.first(where: { $0.id == id.lowercased() && $0.project == project.key }) else {
      throw .notFound(
        "Broadcast not found: there is no broadcast \(id.prefix(64)) of this project; one that ended is known for an hour"
      )
    }
    return found
  }

  /// Those that run, newest first.
  func page(
    of project: OpenTokProject, session: String?, offset: Int, count: Int
  ) -> (total: Int, items: [OpenTokBroadcast]) {
    let running = all.reversed().filter {
      $0.project == project.key && $0.status == .started && (session == nil || $0.session == session)
    }
    return (running.count, Array(running.dropFirst(max(0, offset)).prefix(max(0, count))))
  }

  /// The secret name under which a broadcast is heard by HLS; nil without.
  func hlsName(of broadcast: OpenTokBroadcast) -> String? { shelves[broadcast.id]?.name }

  /// The playlist of that secret name; nil if it is none's.
  func playlist(of name: String) -> String? { shelves.values.first { $0.name == name }?.text }

  /// - Throws: `OpenTokRefusal` 400, 404 if nobody is connected, 409.
  func start(
    _ wish: OpenTokBroadcastWish, in session: OpenTokSessionID
  ) async throws(OpenTokRefusal) -> OpenTokBroadcast {
    let addresses = try addresses(of: wish)
    try check(wish, session)
    guard let state = await sessions.state(of: session) else { throw .nobodyConnected }
    // Another request may have come first meanwhile.
    try check(wish, session)
    let broadcast = OpenTokBroadcast(
      id: OpenTokArchive.newID(), session: session, wish: wish, at: MonotonicClock.now, wall: MonotonicClock.wall)
    all.append(broadcast)
    begin(broadcast, session, addresses, heard: broadcast.heard(of: state.streams))
    tell(broadcast)
    return broadcast
  }

  private func addresses(of wish: OpenTokBroadcastWish) throws(OpenTokRefusal) -> [RTMPAddress] {
    var addresses: [RTMPAddress] = []
    for target in wish.targets {
      guard let address = RTMPAddress(target.serverURL) else {
        throw .badRequest("a \"serverUrl\" of outputs.rtmp is no address such as rtmps://live.example/app")
      }
      if let number = address.url.address, !means.route.allowsPrivate, !WebhookAddress.isPublic(number) {
        throw .badRequest(
          "the serverUrl at \(address.url.host) is in a private network or on this machine; "
            + "--webhook-private allows such servers")
      }
      addresses.append(address)
    }
    return addresses
  }

  private func check(_ wish: OpenTokBroadcastWish, _ session: OpenTokSessionID) throws(OpenTokRefusal) {
    guard session.settings.mode == .routed else {
      throw .conflict(
        "Only routed sessions can be broadcast. This one is relayed; create it with p2p.preference=disabled")
    }
    guard !isStopping else { throw OpenTokRefusal(status: 503, "the service is stopping; try again in a moment") }
    let running = all.filter { $0.session == session.description && $0.status == .started }
    if let other = running.first(where: { $0.wish.tag == wish.tag }) {
      throw .conflict(
        "The session is being broadcast already (\(other.id)); stop that broadcast, or give each a multiBroadcastTag of "
          + "its own")
    }
    let targets = running.reduce(wish.targets.count) { $0 + $1.wish.targets.count }
    guard targets <= OpenTokBroadcastWish.mostTargets else {
      throw .badRequest("a session is sent to \(OpenTokBroadcastWish.mostTargets) RTMP servers at most")
    }
    guard all.count(where: { $0.project == session.key }) < OpenTokBroadcasts.most else {
      throw OpenTokRefusal(
        status: 429, "\(OpenTokBroadcasts.most) broadcasts within an hour are the most of a project", retryAfter: 60)
    }
  }

  /// - Throws: `OpenTokRefusal` 404, 409 if it has ended.
  func stop(_ id: String, of project: OpenTokProject) throws(OpenTokRefusal) -> OpenTokBroadcast {
    let broadcast = try running(id, of: project)
    end(broadcast.id, .user)
    return try find(broadcast.id, of: project)
  }

  /// - Throws: `OpenTokRefusal` 404, 409 if it has ended.
  func arrange(_ id: String, _ layout: OpenTokArchiveLayout, of project: OpenTokProject) throws(OpenTokRefusal) {
    let broadcast = try running(id, of: project)
    change(broadcast.id) { $0.arrange(layout) }
  }

  /// - Throws: `OpenTokRefusal` 404, 405 unless the application chooses the streams, 409 if it has ended.
  func change(
    _ id: String, _ change: OpenTokArchiveChange, of project: OpenTokProject
  ) async throws(OpenTokRefusal) {
    let broadcast = try find(id, of: project)
    guard broadcast.wish.streamMode == .manual else {
      throw OpenTokRefusal(status: 405, "the broadcast's streamMode is auto: it has all streams; start it with manual")
    }
    guard let session = live[broadcast.id]?.session else {
      throw .conflict("The broadcast has stopped; its streams can be chosen while it runs")
    }
    let state = await sessions.state(of: session)
    if case .add(let stream, _, _) = change {
      guard let state else { throw .nobodyConnected }
      guard state.streams.contains(where: { $0.id == stream }) else {
        throw .notFound("Stream not found: \(stream) is not in this session")
      }
    }
    guard let index = all.firstIndex(where: { $0.id == broadcast.id }) else { return }
    try all[index].apply(change)
    hear(all[index], state?.streams ?? [])
  }

  private func running(_ id: String, of project: OpenTokProject) throws(OpenTokRefusal) -> OpenTokBroadcast {
    let broadcast = try find(id, of: project)
    guard broadcast.status == .started else { throw .conflict("The broadcast has stopped already") }
    return broadcast
  }
}
