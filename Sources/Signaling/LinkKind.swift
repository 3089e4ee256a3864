/// The kind of a member's signaling link, which decides when it counts as lost.
package enum LinkKind: Hashable, Sendable {
  /// A connection whose loss is noticed (WebSocket, RTMP): the seat is kept for the grace period from then on.
  case live
  /// A resource that stays until it is deleted (WHIP, WHEP, plain RTP): the seat is kept while media flows, and for the
  /// grace period after.
  case resource
}
