/// Why a shared-object message was not read.
struct RTMPObjectFailure: Error, Hashable, Sendable {
  /// A sentence.
  let reason: String
  /// Whether the connection has to go, and not only the message.
  let isHostile: Bool

  init(_ reason: String, isHostile: Bool = false) {
    self.reason = reason
    self.isHostile = isHostile
  }
}
