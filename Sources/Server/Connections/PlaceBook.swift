/// The places of the connections. If none is left for a new connection, the longest idle connection gives up its place.
struct PlaceBook<ID: Hashable> {
  private enum Standing {
    /// Idle since this sequence number (of connecting or of finishing a request).
    case idle(UInt64)
    /// In the middle of a request, or a long-lived link.
    case busy
    /// Asked to close.
    case leaving
  }

  let limit: Int
  private var standings: [ID: Standing] = [:]
  private var clock: UInt64 = 0

  init(limit: Int) {
    self.limit = limit
  }

  var count: Int { standings.count }

  /// True if another connection may be accepted: a place is free, or an idle connection can give up its own. Closing
  /// takes a moment (TLS says goodbye), so a few connections may be accepted before the old ones are gone.
  var isOpen: Bool {
    if standings.count < limit { return true }
    return standings.count < limit + max(1, limit / 8) && oldestIdle != nil
  }

  /// Adds a connection; returns the one that has to close for it.
  mutating func enter(_ id: ID) -> ID? {
    let oldest = standings.count >= limit ? oldestIdle : nil
    if let oldest { standings[oldest] = .leaving }
    clock += 1
    standings[id] = .idle(clock)
    return oldest
  }

  /// Marks the beginning of a request, or the change of the connection to a link.
  mutating func begin(_ id: ID) {
    if case .idle = standings[id] { standings[id] = .busy }
  }

  /// Marks the end of the response.
  mutating func rest(_ id: ID) {
    guard case .busy = standings[id] else { return }
    clock += 1
    standings[id] = .idle(clock)
  }

  mutating func leave(_ id: ID) { standings[id] = nil }

  /// Handles a lack of descriptors; returns the connection that has to close.
  mutating func makeRoom() -> ID? {
    let oldest = oldestIdle
    if let oldest { standings[oldest] = .leaving }
    return oldest
  }

  /// True while a connection was asked to close and is still open.
  var isLeaving: Bool {
    standings.values.contains { standing in
      if case .leaving = standing { true } else { false }
    }
  }

  private var oldestIdle: ID? {
    var oldest: (id: ID, since: UInt64)?
    for (id, standing) in standings {
      guard case .idle(let since) = standing, since < oldest?.since ?? .max else { continue }
      oldest = (id, since)
    }
    return oldest?.id
  }
}
