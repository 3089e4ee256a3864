import HTTPTypes
import NIOCore
import Signaling

/// Stands before the gatekeeper at every door: slows down wrong secrets, and gives connections that have proved their
/// right a place of their own.
struct Turnstile: Sendable {
  let gatekeeper: Gatekeeper
  let quotas: Quotas
  let places: ConnectionPlaces
  var proxies = TrustedProxies.none
  private let proven = ProvenSecrets()

  init(gatekeeper: Gatekeeper, quotas: Quotas, places: ConnectionPlaces, proxies: TrustedProxies = .none) {
    (self.gatekeeper, self.quotas, self.places, self.proxies) = (gatekeeper, quotas, places, proxies)
  }

  /// A connection, and where it comes from.
  struct Origin: Sendable {
    let channel: any Channel
    let address: ClientAddress?
    /// The network address as a whole, by which a client without a secret is known again. A closed channel does not know
    /// its own any more. Nil behind a proxy that is not trusted: its address is that of many clients.
    let host: String?
    /// True if a trusted proxy told the address.
    let isForwarded: Bool

    init(_ channel: any Channel) {
      self.channel = channel
      host = channel.remoteAddress?.ipAddress
      address = ClientAddress(channel)
      isForwarded = false
    }

    /// The same connection, which speaks for somebody whose address nobody trustworthy tells.
    fileprivate init(unnamedBehind connection: Origin) {
      (channel, address) = (connection.channel, connection.address)
      host = nil
      isForwarded = false
    }

    /// - Parameter host: the client's address in the words of a trusted proxy.
    fileprivate init(_ channel: any Channel, forwardedFrom host: String) {
      self.channel = channel
      self.host = host
      address = (try? SocketAddress(ipAddress: host, port: 0)).flatMap(ClientAddress.init)
      isForwarded = true
    }
  }

  /// Where a request comes from: the connection's other end, or the client that it speaks for as a trusted proxy.
  func origin(of channel: any Channel, _ headers: HTTPFields) -> Origin {
    origin(Origin(channel), headers)
  }

  /// The same for a known connection.
  func origin(_ connection: Origin, _ headers: HTTPFields) -> Origin {
    origin(
      connection, forwardedFor: headers[values: .forwardedFor], forwarded: headers[values: .forwarded])
  }

  func origin(_ connection: Origin, forwardedFor: [String], forwarded: [String]) -> Origin {
    guard proxies.contains(connection.host) else {
      return forwardedFor.isEmpty && forwarded.isEmpty ? connection : Origin(unnamedBehind: connection)
    }
    let client = proxies.client(of: connection.host, forwardedFor: forwardedFor, forwarded: forwarded)
    guard let client, client != connection.host else { return connection }
    return Origin(connection.channel, forwardedFrom: client)
  }

  /// The meaning of a key or token, and the client as quotas see it.
  /// - Throws: `RoomRefusal` `.unauthorized` or `.rateLimited`.
  func admit(
    _ shown: String?, at door: Authorisation.Door, from origin: Origin
  ) throws(RoomRefusal) -> (grant: Grant, caller: Caller) {
    let (grant, caller) = try pass(shown, from: origin) { () throws(RoomRefusal) in
      try gatekeeper.grant(for: shown, at: door)
    }
    return (grant, caller)
  }

  /// Runs the check of a key or token.
  ///
  /// A secret that was right before passes whatever others at its address have tried. Only failures count; after too many
  /// of them, others are looked at once a second, so that a guess finds out nothing more often than that.
  /// - Parameter shown: the key or token; nil if there was none, which counts as no attempt.
  /// - Returns: the result of `check`, and the client as quotas see it.
  /// - Throws: the refusal of `check`, or `.rateLimited`.
  func pass<Value>(
    _ shown: String?, from origin: Origin, _ check: () throws(RoomRefusal) -> Value
  ) throws(RoomRefusal) -> (value: Value, caller: Caller) {
    if let shown, !proven.contains(shown) { try quotas.countUnknownSecret(from: origin.address) }
    let value: Value
    do throws(RoomRefusal) {
      value = try check()
    } catch {
      if error.code == .unauthorized, shown != nil { try quotas.countWrongSecret(from: origin.address) }
      throw error
    }
    return (value, caller(shown, from: origin))
  }

  /// The same for those that are right: nil for others, which are to be refused by `admit`.
  func admitted(
    _ shown: String?, at door: Authorisation.Door, from origin: Origin
  ) -> (grant: Grant, caller: Caller)? {
    if let shown, !proven.contains(shown), quotas.countsUnknownSecrets(from: origin.address) { return nil }
    guard let grant = try? gatekeeper.grant(for: shown, at: door) else { return nil }
    return (grant, caller(shown, from: origin))
  }

  /// The client who has shown what is right.
  private func caller(_ shown: String?, from origin: Origin) -> Caller {
    if let shown, !gatekeeper.isOpen { proven.insert(shown) }
    let credential = gatekeeper.credential(shown)
    places.prove(origin.channel, as: credential)
    return Caller(address: origin.address, credential: credential)
  }
}

extension HTTPField.Name {
  /// Constant names are valid tokens, so the alternatives are never taken.
  fileprivate static let forwardedFor = HTTPField.Name("X-Forwarded-For") ?? .from
  fileprivate static let forwarded = HTTPField.Name("Forwarded") ?? .from
}
