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
  let forest: Trees
  let limits: ServerLimits
  let logger: Logger
  let native: SessionRegistry<NativeSession>
  let rooms: SessionRegistry<KurentoSession>
  let trees: SessionRegistry<KurentoTreeSession>
  private let parked = ParkedSeats()

  init(broker: Broker, turnstile: Turnstile, limits: ServerLimits, logger: Logger) {
    self.broker = broker
    self.turnstile = turnstile
    self.limits = limits
    self.logger = logger
    forest = Trees(broker: broker)
    native = SessionRegistry(limit: limits.connections)
    rooms = SessionRegistry(limit: limits.connections)
    trees = SessionRegistry(limit: limits.connections)
  }

  /// The services that sessions depend on.
  var services: [any Service] { [native, rooms, trees, forest] }

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
          sessionID: id, traits: traits, limits: JSONLimits(bytes: limits.message), at: MonotonicClock.now),
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
          sessionID: id, traits: traits, limits: JSONLimits(bytes: limits.message), at: MonotonicClock.now),
        TreeSeat(self, session: id, bearer),
        patience: ConversationPatience(afterLoss: .seconds(10), betweenRequests: .seconds(10)), in: trees)
    }
  }

  /// Serves a WebSocket of any dialect until it is closed.
  func serve(_ stream: HTTPOrWebSocketChannel.WebSocketStream, _ opening: LinkOpening) async {
    let origin = Turnstile.Origin(stream.channel)
    let bearer = LinkBearer(token: opening.token, origin: origin)
    switch opening.path {
    case .native(let room):
      await serve(
        stream, openNative(room: room, LinkBearer(token: opening.cookie, origin: origin)), native.nextLink(), origin)
    case .kurentoRoom: await serve(stream, openKurento(opening.traits, bearer), rooms.nextLink(), origin)
    case .kurentoTree: await serve(stream, openKurentoTree(opening.traits, bearer), trees.nextLink(), origin)
    }
  }

  private func serve(
    _ stream: HTTPOrWebSocketChannel.WebSocketStream, _ session: (any SignalingSession)?, _ number: LinkNumber,
    _ origin: Turnstile.Origin
  ) async {
    guard let session else {
      logger.warning("a connection was closed because this service has reached its limit of sessions")
      stream.channel.close(promise: nil)
      return
    }
    await SessionLink(
      number: number, session: session, origin: origin, places: turnstile.places, limits: limits, logger: logger
    ).run(stream)
  }
}
