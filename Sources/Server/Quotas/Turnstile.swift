import NIOCore
import Signaling

/// Stands before the gatekeeper at every door: slows down wrong secrets, and gives connections that have proved their
/// right a place of their own.
struct Turnstile: Sendable {
  let gatekeeper: Gatekeeper
  let quotas: Quotas
  let places: ConnectionPlaces

  /// A connection, and where it comes from.
  struct Origin: Sendable {
    let channel: any Channel
    let address: ClientAddress?
    /// The network address as a whole. A closed channel does not know its own any more.
    let host: String?

    init(_ channel: any Channel) {
      self.channel = channel
      host = channel.remoteAddress?.ipAddress
      address = ClientAddress(channel)
    }
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
  /// The secret is checked first, so a right one passes whatever others at its address have tried; only failures count,
  /// and are answered with "try again later" if there were too many.
  /// - Parameter shown: the key or token; nil if there was none, which counts as no attempt.
  /// - Returns: the result of `check`, and the client as quotas see it.
  /// - Throws: the refusal of `check`, or `.rateLimited`.
  func pass<Value>(
    _ shown: String?, from origin: Origin, _ check: () throws(RoomRefusal) -> Value
  ) throws(RoomRefusal) -> (value: Value, caller: Caller) {
    let value: Value
    do throws(RoomRefusal) {
      value = try check()
    } catch {
      if error.code == .unauthorized, shown != nil { try quotas.countWrongSecret(from: origin.address) }
      throw error
    }
    let credential = gatekeeper.credential(shown)
    places.prove(origin.channel, as: credential)
    return (value, Caller(address: origin.address, credential: credential))
  }
}
