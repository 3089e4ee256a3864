/// The places of the connections. If none is left for a new connection, one that needs its place least gives it up:
/// the oldest that has not proved its right to be here, otherwise the longest idle.
struct PlaceBook<ID: Hashable> {
  /// The party that answers for a connection.
  enum Owner: Hashable {
    /// Nobody yet: its place is lent, even in the middle of a request.
    case nobody
    /// A party that may keep a share of the places.
    case party(String)
    /// The operator, or anybody in a service without keys.
    case trusted
  }

  struct Shares: Hashable {
    /// Most places that one party keeps.
    var perParty = Int.max
    /// Places that the parties together leave to the operator.
    var reserve = 0
  }

  private enum Standing {
    /// Idle since this sequence number (of connecting or of finishing a request).
    case idle(UInt64)
    /// In the middle of a request, or a long-lived link.
    case busy
    /// Asked to close.
    case leaving
  }

  private struct Place {
    var standing: Standing
    var owner: Owner
    var address: String?
    /// In the middle of a request, or a long-lived link, whether it keeps its place or not.
    var isInUse = false
    /// What it wants was or could have been read: before that it is not idle, only new.
    var isHeard: Bool
  }

  let limit: Int
  private let shares: Shares
  private var places: [ID: Place] = [:]
  /// Connections of each address for which nobody answers.
  private var strangers: [String: Int] = [:]
  /// Busy connections of each party.
  private var kept: [String: Int] = [:]
  private var clock: UInt64 = 0

  init(limit: Int, shares: Shares = Shares()) {
    self.limit = limit
    self.shares = shares
  }

  var count: Int { places.count }

  /// True if another connection may be accepted: a place is free, or a connection can give up its own. Closing takes a
  /// moment (TLS says goodbye), so a few connections may be accepted before the old ones are gone.
  var isOpen: Bool {
    if places.count < limit { return true }
    return places.count < limit + max(1, limit / 8) && evictable(where: \.isHeard) != nil
  }

  /// Adds a connection; returns the one that has to close for it.
  ///
  /// - Parameters:
  ///   - most: most connections of `address` for which nobody answers; its oldest makes room for another.
  ///   - isHeard: false for one that keeps its place until `hear`, because its first request is still to be read.
  mutating func enter(
    _ id: ID, from address: String? = nil, most: Int = .max, owner: Owner = .trusted, isHeard: Bool = true
  ) -> ID? {
    var leaving: ID?
    if owner == .nobody, let address, strangers[address, default: 0] >= most {
      leaving = evictable { $0.owner == .nobody && $0.address == address }
    } else if places.count >= limit {
      // Two listeners may have counted upon the same one: then a new one goes.
      leaving = evictable(where: \.isHeard) ?? evictable()
    }
    if let leaving { dismiss(leaving) }
    clock += 1
    places[id] = Place(standing: .idle(clock), owner: owner, address: address, isHeard: isHeard)
    countStranger(id, 1)
    return leaving
  }

  /// A new connection has had its time to say what it wants.
  mutating func hear(_ id: ID) { places[id]?.isHeard = true }

  /// Somebody answers for the connection from now on.
  mutating func prove(_ id: ID, by owner: Owner) {
    guard let place = places[id], place.owner != owner, owner != .nobody else { return }
    if case .busy = place.standing { return }
    countStranger(id, -1)
    places[id]?.owner = owner
    // One that was asked to close is not counted any more.
    if case .idle = place.standing, place.isInUse { settle(id) }
  }

  func isProven(_ id: ID) -> Bool { places[id].map { $0.owner != .nobody } ?? false }

  /// Marks the beginning of a request, or the change of the connection to a link.
  mutating func begin(_ id: ID) {
    places[id]?.isInUse = true
    hear(id)
    settle(id)
  }

  /// Lets a connection in use keep its place, if its owner may keep one more.
  private mutating func settle(_ id: ID) {
    guard let place = places[id], case .idle = place.standing else { return }
    switch place.owner {
    case .nobody: return
    case .trusted: break
    case .party(let party):
      guard mayKeepOneMore(party) else { return }
      kept[party, default: 0] += 1
    }
    places[id]?.standing = .busy
  }

  /// Marks the end of the response.
  mutating func rest(_ id: ID) {
    places[id]?.isInUse = false
    guard let place = places[id], case .busy = place.standing else { return }
    giveBack(place)
    clock += 1
    places[id]?.standing = .idle(clock)
  }

  mutating func leave(_ id: ID) {
    guard let place = places[id] else { return }
    switch place.standing {
    case .idle: countStranger(id, -1)
    case .busy: giveBack(place)
    case .leaving: break
    }
    places[id] = nil
  }

  /// Handles a lack of descriptors; returns the connection that has to close.
  mutating func makeRoom() -> ID? {
    let leaving = evictable()
    if let leaving { dismiss(leaving) }
    return leaving
  }

  /// True while a connection was asked to close and is still open, or may soon be asked: a place is about to be free.
  var isLeaving: Bool {
    places.values.contains { place in
      if case .leaving = place.standing { true } else { !place.isHeard }
    }
  }

  private mutating func dismiss(_ id: ID) {
    countStranger(id, -1)
    places[id]?.standing = .leaving
  }

  private mutating func countStranger(_ id: ID, _ change: Int) {
    guard let place = places[id], place.owner == .nobody, let address = place.address else { return }
    if case .leaving = place.standing { return }
    let count = strangers[address, default: 0] + change
    strangers[address] = count > 0 ? count : nil
  }

  private mutating func giveBack(_ place: Place) {
    guard case .party(let party) = place.owner, let count = kept[party] else { return }
    let isWaitedFor = !mayKeepOneMore(party)
    kept[party] = count > 1 ? count - 1 : nil
    if isWaitedFor { passOn() }
  }

  /// A place of the parties' share is free again: the connection that has waited longest in use keeps its own now.
  private mutating func passOn() {
    var oldest: (id: ID, since: UInt64)?
    for (id, place) in places where place.isInUse {
      guard case .idle(let since) = place.standing, case .party(let party) = place.owner, mayKeepOneMore(party),
        since < oldest?.since ?? .max
      else { continue }
      oldest = (id, since)
    }
    if let oldest { settle(oldest.id) }
  }

  private func mayKeepOneMore(_ party: String) -> Bool {
    kept[party, default: 0] < shares.perParty && kept.values.reduce(0, +) < limit - shares.reserve
  }

  /// The connection that needs its place least; nil if all keep theirs.
  private func evictable(where isMeant: (Place) -> Bool = { _ in true }) -> ID? {
    var oldest: (id: ID, isProven: Bool, since: UInt64)?
    for (id, place) in places where isMeant(place) {
      guard case .idle(let since) = place.standing else { continue }
      let isProven = place.owner != .nobody
      if let oldest, (oldest.isProven ? 1 : 0, oldest.since) <= (isProven ? 1 : 0, since) { continue }
      oldest = (id, isProven, since)
    }
    return oldest?.id
  }
}
