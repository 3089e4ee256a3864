import Logging
import Machines
import NIOCore
import Recording
import Rooms
import ServiceLifecycle
import Signaling
import Synchronization

typealias NativeSession = Conversation<NativeServer, RoomSeat<NativeWords>>
typealias KurentoSession = Conversation<KurentoServer, RoomSeat<KurentoWords>>
typealias KurentoTreeSession = Conversation<KurentoTreeServer, TreeSeat>
typealias XirSysSession = Conversation<XirSysServer, XirSysSeat>
typealias RemonSession = Conversation<RemonServer, RemonSeat>
typealias OpenTokClientSession = Conversation<OpenTokServer, OpenTokSeat>

/// What a session's links show of their client besides its messages.
final class LinkBearer: Sendable {
  private struct State {
    var origin: Turnstile.Origin
    var proof: Credential?
  }

  /// The token of the first link, for messages without a token.
  let token: String?
  private let state: Mutex<State>

  init(token: String?, origin: Turnstile.Origin) {
    self.token = token
    state = Mutex(State(origin: origin))
  }

  /// The connection of the session's latest link.
  var origin: Turnstile.Origin { state.withLock { $0.origin } }

  /// The client's network address.
  var address: String? { origin.host }

  /// What `token` has proved at the opening; nil if it was not checked, or is not valid.
  var proof: Credential? { state.withLock { $0.proof } }

  /// The session continues on another connection.
  func move(to origin: Turnstile.Origin) { state.withLock { $0.origin = origin } }

  /// Has `token` checked at once, because a client may join much later. Messages say what is wrong with it.
  func showToken(to turnstile: Turnstile, at door: Authorisation.Door) {
    guard let token, let caller = try? turnstile.admit(token, at: door, from: origin).caller else { return }
    state.withLock { $0.proof = caller.credential }
  }
}

/// The signaling sessions of every dialect, with their shared dependencies.
///
/// Each dialect contributes one function that opens its sessions.
struct Doors: Sendable {
  let broker: Broker
  let turnstile: Turnstile
  let application: ApplicationMethods
  let forest: Trees
  let limits: ServerLimits
  let logger: Logger
  let native: SessionRegistry<NativeSession>
  let rooms: SessionRegistry<KurentoSession>
  let trees: SessionRegistry<KurentoTreeSession>
  let xirsys: SessionRegistry<XirSysSession>
  let openTokClients: SessionRegistry<OpenTokClientSession>
  let openTokSockets = OpenTokSockets()
  let desk: XirSysDesk
  let remon: SessionRegistry<RemonSession>
  let remonDesk: RemonDesk
  let openTok: OpenTokDesk
  let sockets: SockJSLinks
  private let parked = ParkedSeats()

  init(
    broker: Broker, turnstile: Turnstile, application: ApplicationMethods, xirsys accounts: AppAccounts,
    remon services: AppAccounts, hooks: RemonHooks, openTok projects: OpenTokProjects, limits: ServerLimits,
    logger: Logger
  ) {
    self.broker = broker
    self.application = application
    self.turnstile = turnstile
    self.limits = limits
    self.logger = logger
    forest = Trees(broker: broker)
    native = SessionRegistry(limit: limits.connections)
    rooms = SessionRegistry(limit: limits.connections)
    trees = SessionRegistry(limit: limits.connections)
    xirsys = SessionRegistry(limit: limits.connections)
    openTokClients = SessionRegistry(limit: limits.connections)
    desk = XirSysDesk(accounts, broker: broker, turnstile: turnstile)
    remon = SessionRegistry(limit: limits.connections)
    remonDesk = RemonDesk(services, hooks: hooks, broker: broker, turnstile: turnstile)
    openTok = OpenTokDesk(projects, broker: broker, turnstile: turnstile)
    sockets = SockJSLinks(limits: limits)
  }

  /// RFC 6455 section 7.4.1: 1000 is a purpose fulfilled, also without a code. A page says 1001 when it is closed or
  /// reloaded; in a reloaded one the native client resumes by its secret.
  private static let nativeLeavings: Set<UInt16> = [1000]
  private static let kurentoLeavings: Set<UInt16> = [1000, 1001]
  /// A client says goodbye in Rumor. It closes a socket without a code when it has heard nothing for too long, and comes
  /// back; 1001 is its page's end.
  private static let openTokLeavings: Set<UInt16> = [1001]

  /// A page that is closed does not come back; every other close without "disconnect" is a loss.
  private static let remonLeavings: Set<UInt16> = [1001]

  /// The services that sessions depend on.
  var services: [any Service] {
    [native, rooms, trees, xirsys, remon, openTok.sessions, openTokClients, sockets, forest]
  }

  func openNative(room: String, _ bearer: LinkBearer) -> NativeSession? {
    native.open { id in
      NativeSession(
        id: id, NativeServer(room: room, limits: JSONLimits(bytes: limits.message), at: MonotonicClock.now),
        RoomSeat(self, bearer, parking: nil), patience: .none, in: native)
    }
  }

  func openKurento(_ traits: KurentoClientTraits, _ bearer: LinkBearer) -> KurentoSession? {
    bearer.showToken(to: turnstile, at: .kurento)
    return rooms.open { id in
      KurentoSession(
        id: id,
        KurentoServer(
          sessionID: id, traits: traits, limits: limits.kurentoTexts, rates: limits.kurentoRates, at: MonotonicClock.now
        ),
        RoomSeat(self, bearer, parking: parked),
        // Kurento's own grace period for a lost session.
        patience: ConversationPatience(afterLoss: .seconds(10), betweenRequests: .seconds(60)), in: rooms)
    }
  }

  func openKurentoTree(_ traits: KurentoClientTraits, _ bearer: LinkBearer) -> KurentoTreeSession? {
    bearer.showToken(to: turnstile, at: .kurentoTree)
    return trees.open { id in
      KurentoTreeSession(
        id: id,
        KurentoTreeServer(
          sessionID: id, traits: traits, limits: limits.kurentoTexts, rates: limits.kurentoRates, at: MonotonicClock.now
        ),
        TreeSeat(self, session: id, bearer),
        patience: ConversationPatience(afterLoss: .seconds(10), betweenRequests: .seconds(10)), in: trees)
    }
  }

  func openXirSys(
    _ token: String, _ framing: XirSysVocabulary.Framing, isPage: Bool, _ bearer: LinkBearer, on link: LinkNumber
  ) -> XirSysSession? {
    let (opening, ticket) = desk.opening(token, from: bearer.address)
    let listener = XirSysListener(
      framing: framing, isPage: isPage, path: ticket?.channel.path ?? "", room: ticket?.channel.roomText ?? "")
    return xirsys.open { id in
      XirSysSession(
        id: id,
        XirSysServer(
          sessionID: id, opening, as: listener, on: link, limits: limits.kurentoTexts, at: MonotonicClock.now),
        XirSysSeat(RoomSeat(self, bearer, parking: parked), session: id, in: desk.places),
        // The room's own grace period.
        patience: ConversationPatience(afterLoss: .zero, afterGoodbye: .zero, betweenRequests: .seconds(10)), in: xirsys
      )
    }
  }

  func openRemon(_ bearer: LinkBearer, on link: LinkNumber) -> RemonSession? {
    remon.open { id in
      RemonSession(
        id: id, RemonServer(on: link, limits: limits.kurentoTexts, at: MonotonicClock.now),
        RemonSeat(RoomSeat(self, bearer, parking: parked), session: id, at: remonDesk),
        // The room's own grace period, if there is a seat.
        patience: ConversationPatience(
          afterLoss: .seconds(10), betweenRequests: .seconds(10), withoutProof: .seconds(15)), in: remon)
    }
  }

  /// A session for a new client of OpenTok's wire, or for one whose session is not known any more.
  private func openOpenTok(
    _ socket: String?, isReturning: Bool, _ bearer: LinkBearer, on link: LinkNumber
  ) -> OpenTokClientSession? {
    let socket = socket.flatMap(OpenTokSockets.Name.init)
    let opening: OpenTokOpening = socket == nil ? .fresh : isReturning ? .unknown : .named
    return openTokClients.open { id in
      if let socket { openTokSockets.settle(socket, session: id) }
      return OpenTokClientSession(
        id: id, OpenTokServer(sessionID: id, opening, on: link, limits: limits.kurentoTexts, at: MonotonicClock.now),
        OpenTokSeat(self, bearer, session: id, socket: socket),
        patience: ConversationPatience(
          afterLoss: OpenTokSeat.patience, afterGoodbye: .zero, betweenRequests: .seconds(10)), in: openTokClients)
    }
  }

  /// Serves a WebSocket of any dialect until it is closed.
  func serve(_ stream: HTTPOrWebSocketChannel.WebSocketStream, _ opening: LinkOpening) async {
    let origin = turnstile.origin(
      Turnstile.Origin(stream.channel), forwardedFor: opening.forwardedFor, forwarded: opening.forwarded)
    // A proxy's connections are not counted, but each of these is one client's for as long as it lasts.
    let hold = origin.isForwarded ? try? turnstile.quotas.connect(from: origin.address) : nil
    guard hold != nil || !origin.isForwarded else { return stream.channel.close(promise: nil) }
    defer { hold?.release() }
    let bearer = LinkBearer(token: opening.token, origin: origin)
    switch opening.path {
    case .native(let room):
      await serve(
        stream, opening, openNative(room: room, LinkBearer(token: opening.cookie, origin: origin)), native.nextLink(),
        origin, limits, leavings: Doors.nativeLeavings)
    case .kurentoRoom:
      await serve(
        stream, opening, openKurento(opening.traits, bearer), rooms.nextLink(), origin, limits.kurento,
        leavings: Doors.kurentoLeavings)
    case .xirsys(let token, let framing):
      let number = xirsys.nextLink()
      let session = openXirSys(
        token, framing, isPage: opening.traits.hasOrigin, LinkBearer(token: nil, origin: origin), on: number)
      await serve(stream, opening, session, number, origin, limits.kurento, leavings: Doors.kurentoLeavings)
    case .remon:
      let number = remon.nextLink()
      let session = openRemon(LinkBearer(token: nil, origin: origin), on: number)
      await serve(stream, opening, session, number, origin, limits.kurento, leavings: Doors.remonLeavings)
    case .openTok(let socket, let isReturning):
      let number = openTokClients.nextLink()
      let former = isReturning ? socket.flatMap(OpenTokSockets.Name.init).flatMap(openTokSockets.session) : nil
      if let session = former.flatMap(openTokClients.find) {
        await serve(stream, opening, session, number, origin, limits.kurento, leavings: Doors.openTokLeavings) {
          await session.resume($1, answering: OpenTokReturn())
        }
      } else {
        let session = openOpenTok(
          socket, isReturning: isReturning, LinkBearer(token: nil, origin: origin), on: number)
        await serve(stream, opening, session, number, origin, limits.kurento, leavings: Doors.openTokLeavings)
      }
    case .kurentoTree, .kurentoTreeSockJS:
      await serve(
        stream, opening, openKurentoTree(opening.traits, bearer), trees.nextLink(), origin, limits.kurento,
        leavings: Doors.kurentoLeavings)
    }
  }

  private func serve(
    _ stream: HTTPOrWebSocketChannel.WebSocketStream, _ opening: LinkOpening, _ session: (any SignalingSession)?,
    _ number: LinkNumber, _ origin: Turnstile.Origin, _ limits: ServerLimits, leavings: Set<UInt16>,
    enter: @escaping SessionLink.Entrance = SessionLink.attach
  ) async {
    guard let session else {
      logger.warning("a connection was closed because this service has reached its limit of sessions")
      stream.channel.close(promise: nil)
      return
    }
    await SessionLink(
      number: number, session: session, framing: opening.path.framing, compression: opening.compression,
      origin: origin, places: turnstile.places, limits: limits, leavings: leavings, logger: logger, enter: enter
    ).run(stream)
  }
}
