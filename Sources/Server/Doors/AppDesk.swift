import Recording
import Rooms
import Signaling

/// The desk of apps made for another service, where they show their accounts and get STUN and TURN servers.
protocol AppDesk: Sendable {
  var accounts: AppAccounts { get }
  var broker: Broker { get }
  var turnstile: Turnstile { get }
}

extension AppDesk {
  /// The account of a request.
  /// - Throws: `RoomRefusal` `.unauthorized` or `.rateLimited`.
  func account(
    _ ident: String?, _ secret: String?, from origin: Turnstile.Origin
  ) throws(RoomRefusal) -> AppAccounts.Account {
    try admit(ident, secret, from: origin).account
  }

  /// The same, with the client as quotas see it: all that have an account's secret are one.
  func admit(
    _ ident: String?, _ secret: String?, from origin: Turnstile.Origin
  ) throws(RoomRefusal) -> (account: AppAccounts.Account, caller: Caller) {
    let isOpen = turnstile.gatekeeper.isOpen
    let (account, caller) = try turnstile.pass(secret, from: origin) { () throws(RoomRefusal) in
      try accounts.account(ident, secret, isOpen: isOpen)
    }
    return (account, caller)
  }

  /// STUN and TURN servers with credentials of the configured TURN server's shared secret.
  /// - Parameter plainName: of the user, without a colon: up to there a TURN server reads the name.
  func iceServers(named plainName: String) -> [ICEServer] {
    broker.configuration.ice.servers(for: plainName, at: MonotonicClock.wall)
  }
}
