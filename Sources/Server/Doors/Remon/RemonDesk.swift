import Machines
import Music
import Recording
import Rooms
import Signaling
import Synchronization

/// What the REST interface and the sockets of Remote Monster share: services, tokens, and who is where.
final class RemonDesk: AppDesk {
  /// A client on the way to its socket.
  struct Ticket: Sendable {
    var ident: String
    var bound: RoomName?
    var conference: String?
    var meta: String?
    var proposal: String
  }

  /// Seconds for opening the socket and sending its first frame, while a musician may still look at a list.
  private static let life = 600

  let places = RemonPlaces()
  let mixers = RemonMixers()
  let hooks: RemonHooks
  let tickets = SocketTickets<Ticket>()
  /// Log entries, by topic.
  let topics = Counter([String: Int]())
  let broker: Broker
  let turnstile: Turnstile
  let accounts: AppAccounts

  init(_ accounts: AppAccounts, hooks: RemonHooks, broker: Broker, turnstile: Turnstile) {
    self.accounts = accounts
    self.hooks = hooks
    self.broker = broker
    self.turnstile = turnstile
  }

  /// A token, and a channel that the client may use.
  func token(for account: AppAccounts.Account, _ wish: RemonInit, from origin: Turnstile.Origin) -> (String, String) {
    let proposal = String(ParticipantID(at: MonotonicClock.wall).description.suffix(16))
    let ticket = Ticket(
      ident: account.ident, bound: account.room, conference: wish.conference, meta: wish.meta, proposal: proposal)
    return (tickets.issue(to: ticket, for: RemonDesk.life, at: origin.host), proposal)
  }

  /// Checks the right to search: anybody if the service has neither keys nor accounts, otherwise the bearer of a token from
  /// `/rest/init`, of a join token, or of an API key.
  /// - Throws: `RoomRefusal` `.unauthorized`, `.forbidden` or `.rateLimited`.
  func reader(
    token: String?, service: String, from origin: Turnstile.Origin
  ) throws(RoomRefusal) -> (service: String, bound: RoomName?) {
    if turnstile.gatekeeper.isOpen, accounts.isEmpty { return (service, nil) }
    let place = token.flatMap { places.place(of: $0) }
    let ticket = token.flatMap { tickets.holder(of: $0) }
    if let ident = place?.pass.serviceID ?? ticket?.ident, ident == service {
      return (ident, place?.pass.bound ?? ticket?.bound)
    }
    guard token != nil else {
      throw RoomRefusal(
        .unauthorized, "searching needs a token of this service: ?token= or Authorization: Bearer, from /rest/init")
    }
    let principal = try turnstile.admit(token, at: .rest, from: origin).grant.principal
    try Authorisation.check(principal, .listRooms, on: .list, at: .rest)
    return (service, principal.room)
  }

  /// STUN and TURN servers.
  func iceServers(for token: String) -> [ICEServer] {
    iceServers(named: token.filter { $0.isLetter || $0.isNumber })
  }

  // MARK: Sockets

  /// Binds a socket to the token of its first frame.
  /// - Throws: `RoomRefusal` `.unauthorized` or `.rateLimited`.
  func present(
    _ token: String, serviceID: String?, session: String, _ post: AsyncStream<RemonEvent>.Continuation,
    from origin: Turnstile.Origin
  ) throws(RoomRefusal) -> RemonReply {
    switch places.standing(of: token, from: origin.host) {
    case .theirs(let former): return .former(sessionID: former)
    case .taken: throw RoomRefusal(.unauthorized, "the token is in use on a socket from another address")
    case .free: break
    }
    let ticket = try turnstile.pass(token, from: origin) { () throws(RoomRefusal) in
      guard let ticket = tickets.redeem(token, if: { serviceID == nil || $0.ident == serviceID }) else {
        throw RoomRefusal(.unauthorized, "the token is unknown, too old, or of another service; ask /rest/init for one")
      }
      return ticket
    }.value
    let pass = RemonPass(
      token: token, serviceID: ticket.ident, bound: ticket.bound, conference: ticket.conference, meta: ticket.meta,
      proposal: ticket.proposal)
    places.bind(
      RemonPlaces.Place(session: session, pass: pass, ident: ticket.ident, post: post, address: origin.host))
    return .pass(pass)
  }

  /// The token by which a client takes its seat; the same user at the same address is the same musician.
  func pass(of client: RemonPass, _ entry: RemonEntry, from address: String?) -> String? {
    let name = entry.request.name
    return turnstile.gatekeeper.pass(
      room: entry.room, name: name, subject: "remon:\(client.serviceID)/\(name)@\(address ?? client.token)")
  }

  /// Whether there is a place of this kind. A room may have three musicians, and a call two.
  /// - Throws: `RoomRefusal` `.roomFull` or `.alreadyPublishing`.
  func check(_ entry: RemonEntry) async throws(RoomRefusal) {
    guard let snapshot = await broker.snapshot(of: entry.room) else { return }
    let musicians = snapshot.members.filter { $0.role == .musician }
    switch entry.part {
    case .caller:
      // The newcomer may be the musician who is away: a page that was reloaded.
      guard musicians.count(where: \.isConnected) < 2 else {
        throw RoomRefusal(.roomFull, "two are in this call already")
      }
    case .presence:
      // The newcomer may be the musician who is away; the seat itself is decided with the cast.
      guard musicians.count(where: \.isConnected) < snapshot.policy.capacity else {
        throw RoomRefusal(.roomFull, "all \(snapshot.policy.capacity) seats of this conference are taken")
      }
    case .caster:
      let isOnAir = places.present(in: entry.room).contains { $0.part == .caster && $0.isLinked }
      guard !isOnAir else { throw RoomRefusal(.alreadyPublishing, "a cast of this id is on air; choose another id") }
    case .member, .viewer: break
    }
  }

  // MARK: Casts

  /// The cast that an identifier names.
  /// - Throws: `RoomRefusal` `.unknownParticipant` or `.invalidName`.
  func source(of id: String, bound: RoomName?) async throws(RoomRefusal) -> RemonSource {
    if let participant = RemonChannelID.participant(in: id) {
      let room = await broker.snapshots().first { snapshot in
        snapshot.members.contains { $0.participant.id == participant && $0.role == .musician }
      }?.room
      if let room, bound == nil || bound == room { return RemonSource(room: room, participant: participant) }
    }
    if let room = mixers.room(of: id, at: MonotonicClock.now), bound == nil || bound == room {
      return RemonSource(room: room, participant: nil)
    }
    let room: RoomName
    do throws(RemonFault) {
      room = try RemonChannelID.room(id, bound: bound)
    } catch {
      throw RoomRefusal(.invalidName, error.sentence)
    }
    let musicians = await broker.snapshot(of: room)?.members.filter { $0.role == .musician } ?? []
    guard !musicians.isEmpty else {
      throw RoomRefusal(
        .unknownParticipant, "there is no cast \"\(id.prefix(64))\"; GET /rest/room/{serviceId} lists them")
    }
    let casters = places.present(in: room).filter { $0.part == .caster }.compactMap(\.participant)
    let caster = musicians.map(\.participant.id).first(where: casters.contains)
    return RemonSource(
      room: room, participant: caster ?? (musicians.count == 1 ? musicians.first?.participant.id : nil))
  }
}
