import Machines

/// How long a session without links waits for its client.
package struct ConversationPatience: Hashable, Sendable {
  /// After the loss of its WebSocket; its seat may ask for more.
  package var afterLoss: MonotonicTime.Span
  /// After its client has closed its WebSocket itself: as long as the room keeps the seat.
  package var afterGoodbye: MonotonicTime.Span
  /// Between the requests of a client that uses POST only.
  package var betweenRequests: MonotonicTime.Span
  /// Of a client that has not shown a valid key or token, which would otherwise hold sessions for nothing. One that uses
  /// POST only has none: until it has shown something, each request is a session of its own and leaves no state.
  package var withoutProof: MonotonicTime.Span

  package init(
    afterLoss: MonotonicTime.Span, afterGoodbye: MonotonicTime.Span = .milliseconds(1_500),
    betweenRequests: MonotonicTime.Span, withoutProof: MonotonicTime.Span = .seconds(5)
  ) {
    self.afterLoss = afterLoss
    self.afterGoodbye = afterGoodbye
    self.betweenRequests = betweenRequests
    self.withoutProof = withoutProof
  }

  /// Patience of dialects whose sessions end with their links.
  package static let none = ConversationPatience(afterLoss: .zero, betweenRequests: .seconds(10))

  /// How long a session waits that has no link now.
  /// - Parameter hadLasting: it has had a WebSocket.
  /// - Parameter isNew: it has had no link at all yet.
  /// - Parameter isLeaving: the client closed the last link itself.
  func limit(hadLasting: Bool, isNew: Bool, isLeaving: Bool, _ seat: SeatFacts) -> MonotonicTime.Span {
    var limit = hadLasting ? max(afterLoss, seat.gracePeriod) : betweenRequests
    if isLeaving { limit = min(limit, afterGoodbye) }
    if !seat.isProven { limit = hadLasting || isNew ? min(limit, withoutProof) : .zero }
    return limit
  }
}

/// What the rules of a session have to know of its client's seat.
package struct SeatFacts: Hashable, Sendable {
  /// False if the session holds nothing worth keeping.
  package var isTaken: Bool
  /// True once the client has shown a valid key or token.
  package var isProven: Bool
  /// How long the seat waits for its client to return.
  package var gracePeriod: MonotonicTime.Span

  package init(isTaken: Bool = false, isProven: Bool = false, gracePeriod: MonotonicTime.Span = .zero) {
    self.isTaken = isTaken
    self.isProven = isProven
    self.gracePeriod = gracePeriod
  }
}
