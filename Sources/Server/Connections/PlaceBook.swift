/// The places of the connections. When none is left for a new connection, the one that was idle longest gives up its own.
struct PlaceBook<ID: Hashable> {
  private enum Standing {
    /// Connected, or done with a request, as the so manyeth.
    case idle(UInt64)
    /// In the middle of a request, or a link that lasts.
    case busy
    /// Asked to go.
    case leaving
  }

  let limit: Int
  private var standings: [ID: Standing] = [:]
  private var clock: UInt64 = 0

  init(limit: Int) {
    self.limit = limit
  }

  var count: Int { standings.count }

  /// Another one may come: there is a place, or somebody idle who gives theirs up. Those who were asked to go need a moment
  /// (TLS says goodbye), so a few may come before they have gone.
  var isOpen: Bool {
    if standings.count < limit { return true }
    return standings.count < limit + max(1, limit / 8) && oldestIdle != nil
  }

  /// Somebody comes; answers with who has to go for them.
  mutating func enter(_ id: ID) -> ID? {
    let oldest = standings.count >= limit ? oldestIdle : nil
    if let oldest { standings[oldest] = .leaving }
    clock += 1
    standings[id] = .idle(clock)
    return oldest
  }

  /// A request begins, or what the connection is becomes a link.
  mutating func begin(_ id: ID) {
    if case .idle = standings[id] { standings[id] = .busy }
  }

  /// The request is answered.
  mutating func rest(_ id: ID) {
    guard case .busy = standings[id] else { return }
    clock += 1
    standings[id] = .idle(clock)
  }

  mutating func leave(_ id: ID) { standings[id] = nil }

  /// The descriptors are used up by something else; answers with who has to go.
  mutating func makeRoom() -> ID? {
    let oldest = oldestIdle
    if let oldest { standings[oldest] = .leaving }
    return oldest
  }

  /// Somebody was asked to go and has not gone yet.
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
