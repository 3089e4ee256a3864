import Machines
import Music
import Recording
import Rooms
import Signaling
import Synchronization

/// What the REST interfaces and the sockets of XirSys share: accounts, tokens, and who is where.
final class XirSysDesk: AppDesk {
  let places = XirSysPlaces()
  let tickets = XirSysTickets()
  let accounts: AppAccounts
  let broker: Broker
  let turnstile: Turnstile
  /// The stores of version 3, by account.
  private let stores = Mutex<[String: XirSysStore]>([:])

  init(_ accounts: AppAccounts, broker: Broker, turnstile: Turnstile) {
    self.accounts = accounts
    self.broker = broker
    self.turnstile = turnstile
  }

  /// A token for a socket. What would be refused there is refused here: clients repeat a socket at once, and a token at
  /// most three times.
  /// - Throws: `RoomRefusal` `.nameTaken`, `.roomFull`, `.invalidName`, `.unavailable`.
  func ticket(
    for account: AppAccounts.Account, _ channel: XirSysChannel, _ username: String?, seconds: Int,
    from origin: Turnstile.Origin
  ) async throws(RoomRefusal) -> String {
    // python-xirsys names nobody.
    let text = username.flatMap { $0.isEmpty ? nil : $0 } ?? "guest-\(UInt16.random(in: 1_000...9_999))"
    let name = try XirSysChannel.user(text)
    guard broker.isReady else { throw RoomRefusal(.unavailable, "the service is not ready, or stops; try again later") }
    try await check(name, in: channel.room, from: origin.host)
    return tickets.issue(channel, name, ident: account.ident, for: seconds, to: origin.host)
  }

  private func check(_ name: DisplayName, in room: RoomName, from address: String?) async throws(RoomRefusal) {
    let key = XirSysPlaces.Key(room: room, name: name.description)
    switch places.standing(of: key, from: address, at: MonotonicClock.now) {
    case .theirs: return
    case .taken: throw XirSysDesk.taken(name)
    case .free: break
    }
    guard let snapshot = await broker.snapshot(of: room) else { return }
    let present = snapshot.members.filter { $0.role == .musician && $0.isConnected }
    guard !present.contains(where: { $0.participant.name == name }) else { throw XirSysDesk.taken(name) }
    guard present.count < snapshot.policy.capacity else {
      throw RoomRefusal(
        .roomFull, "room is full: \(present.count) musicians are in \"\(room)\", and it has as many seats")
    }
  }

  private static func taken(_ name: DisplayName) -> RoomRefusal {
    RoomRefusal(.nameTaken, "\"\(name)\" is in the room already, from another device; use another name")
  }

  /// How a new socket from `address` begins. Since its token was given out, somebody else may have taken the name.
  func opening(_ token: String, from address: String?) -> (XirSysOpening, XirSysTicket?) {
    guard let ticket = tickets.redeem(token) else { return (.invalidToken, nil) }
    let pass = turnstile.gatekeeper.pass(
      room: ticket.channel.room, name: ticket.name, subject: "xirsys:\(ticket.ident)/\(ticket.name)")
    let entry = RoomEntry(ticket.channel.room, JoinRequest(name: ticket.name, door: .xirsys), token: pass)
    let key = XirSysPlaces.Key(room: entry.room, name: ticket.name.description)
    return switch places.claim(key, from: address, at: MonotonicClock.now) {
    case .free: (.enter(entry), ticket)
    case .theirs(let session): (.resume(sessionID: session, entry), ticket)
    case .taken: (.refused(XirSysDesk.taken(ticket.name)), ticket)
    }
  }

  /// STUN and TURN servers for a user.
  func iceServers(for user: String) -> [ICEServer] {
    let plain = String(user.prefix(64).map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
    return iceServers(named: plain)
  }

  /// The names of the rooms with somebody in them that an account reaches.
  func rooms(of account: AppAccounts.Account) async -> [String] {
    let rooms = await broker.snapshots().map(\.room)
    return rooms.filter { account.room == nil || account.room == $0 }.map(\.description)
  }

  /// Without accounts everybody invents one: there are no more stores than this, and then one for all others.
  private static let mostStores = 16

  func withStore<Value: Sendable>(
    of account: AppAccounts.Account, _ body: @Sendable (inout XirSysStore) -> Value
  ) -> Value {
    stores.withLock { stores in
      let isKnown = stores[account.ident] != nil || stores.count < XirSysDesk.mostStores
      return body(&stores[isKnown ? account.ident : "", default: XirSysStore()])
    }
  }
}
