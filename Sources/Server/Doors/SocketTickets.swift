import Machines
import Music
import Recording
import Rooms
import Signaling
import Synchronization

/// The tokens that a REST interface gives out for a socket: for one client, once, for a short time.
final class SocketTickets<Holder: Sendable>: Sendable {
  private struct Ticket: Sendable {
    var holder: Holder
    /// Of the client that got it.
    var address: String?
    var expiry: MonotonicTime
  }

  /// Random bytes of a token: 24 characters, all of them letters, digits, "-" and "_". Clients escape it once or twice.
  private static var bytes: Int { 18 }
  /// Longest time that a client can wish for, in seconds.
  private static var longest: Int { 600 }
  /// Most unused tokens at a time, and of one address: nobody's tokens go because somebody else wants many. The first to
  /// expire go first.
  private static var most: Int { 4_096 }
  private static var mostOfAddress: Int { 256 }

  private let tickets = Mutex<[String: Ticket]>([:])
  private let now: @Sendable () -> MonotonicTime

  init(now: @escaping @Sendable () -> MonotonicTime = { MonotonicClock.now }) {
    self.now = now
  }

  /// - Parameter seconds: the wished time to connect.
  func issue(to holder: Holder, for seconds: Int, at address: String? = nil) -> String {
    let time = now()
    let life = min(max(seconds, 1), SocketTickets.longest)
    let ticket = Ticket(holder: holder, address: address, expiry: time + .seconds(Int64(life)))
    let token = Base64.url.encode((0..<SocketTickets.bytes).map { _ in UInt8.random(in: .min ... .max) })
    tickets.withLock { tickets in
      if tickets.count >= SocketTickets.mostOfAddress {
        tickets = tickets.filter { $0.value.expiry > time }
        let own = tickets.filter { $0.value.address == address }
        if own.count >= SocketTickets.mostOfAddress {
          tickets[SocketTickets.firstToExpire(of: own)] = nil
        } else if tickets.count >= SocketTickets.most {
          tickets[SocketTickets.firstToExpire(of: tickets)] = nil
        }
      }
      tickets[token] = ticket
    }
    return token
  }

  private static func firstToExpire(of tickets: [String: Ticket]) -> String {
    tickets.min { $0.value.expiry < $1.value.expiry }?.key ?? ""
  }

  /// Uses a token up; nil if it is unknown, used, too old, or not that of the right client.
  func redeem(_ token: String, if isRight: (Holder) -> Bool = { _ in true }) -> Holder? {
    let time = now()
    return tickets.withLock { tickets in
      guard let ticket = tickets[token], ticket.expiry > time else {
        tickets[token] = nil
        return nil
      }
      guard isRight(ticket.holder) else { return nil }
      tickets[token] = nil
      return ticket.holder
    }
  }

  /// The client of a token that was not used yet.
  func holder(of token: String) -> Holder? {
    let time = now()
    return tickets.withLock { tickets in tickets[token].flatMap { $0.expiry > time ? $0.holder : nil } }
  }
}
