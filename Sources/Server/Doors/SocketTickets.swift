import Machines
import Recording
import Signaling
import Synchronization

/// The tokens that a REST interface gives out for a socket: a `TicketBook` with a clock and random tokens.
final class SocketTickets<Holder: Sendable>: Sendable {
  /// Random bytes of a token: 24 characters, all of them letters, digits, "-" and "_". Clients escape it once or twice.
  private static var bytes: Int { 18 }

  private let book = Mutex(TicketBook<Holder>())
  private let now: @Sendable () -> MonotonicTime

  init(now: @escaping @Sendable () -> MonotonicTime = { MonotonicClock.now }) {
    self.now = now
  }

  /// - Parameter seconds: the wished time to connect.
  func issue(to holder: Holder, for seconds: Int, at address: String? = nil) -> String {
    let token = Base64.url.encode((0..<SocketTickets.bytes).map { _ in UInt8.random(in: .min ... .max) })
    let time = now()
    book.withLock { $0.issue(token, to: holder, for: seconds, from: address, at: time) }
    return token
  }

  /// Uses a token up; nil if it is unknown, used, too old, or not that of the right client.
  func redeem(_ token: String, if isRight: (Holder) -> Bool = { _ in true }) -> Holder? {
    let time = now()
    return book.withLock { $0.redeem(token, at: time, if: isRight).holder }
  }

  /// The client of a token that was not used yet.
  func holder(of token: String) -> Holder? {
    let time = now()
    return book.withLock { $0.holder(of: token, at: time) }
  }
}
