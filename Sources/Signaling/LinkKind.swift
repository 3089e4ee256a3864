/// What a member's signaling link is made of, which decides when it counts as lost.
package enum LinkKind: Hashable, Sendable {
  /// A connection that is seen to break (WebSocket, RTMP): the seat is kept for the grace period from then on.
  case live
  /// A resource that stays until it is deleted (WHIP, WHEP, plain RTP): the seat is kept as long as media flows, and for
  /// the grace period after.
  case resource
}
