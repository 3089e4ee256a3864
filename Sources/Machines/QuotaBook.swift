/// One line of a table of limits: how much of one kind of work one party may begin.
package struct Quota<Work: Hashable & Sendable, Scope: Hashable & Sendable>: Hashable, Sendable {
  package enum Measure: Hashable, Sendable {
    /// So many at once, and so many in each window in the long run.
    case rate(Int, per: MonotonicTime.Span)
    /// So many at a time; the last `reserve` of them are for privileged parties.
    case held(Int, reserve: Int = 0)
  }

  package var work: Work
  package var scope: Scope
  package var measure: Measure

  package init(_ work: Work, per scope: Scope, _ measure: Measure) {
    (self.work, self.scope, self.measure) = (work, scope, measure)
  }
}

/// Decides by one table of limits which work may begin.
///
/// Work is counted for all its parties or for none. The memory is bounded whatever names strangers invent: rates are
/// forgotten once they have recovered, and if too many have not, the one nearest to recovery is forgotten first.
package struct QuotaBook<Work: Hashable & Sendable, Scope: Hashable & Sendable>: Sendable {
  package typealias Line = Quota<Work, Scope>

  package enum Verdict: Hashable, Sendable {
    case admitted
    /// Too much for the party of this scope; try again after `retryAfter`.
    case refused(Scope, retryAfter: MonotonicTime.Span)
  }

  private struct Key: Hashable {
    var line: Int
    var party: String
  }

  private struct Slot {
    var key: Key
    var rate: RateLimit
  }

  /// Slots examined for each new party.
  private static var examined: Int { 16 }
  /// When to try again if too much is held: nobody knows when some of it ends.
  private static var patience: MonotonicTime.Span { .seconds(10) }

  private let table: [Line]
  private let lines: [Work: [Int]]
  /// Most rates remembered.
  private let capacity: Int
  private var slots: [Slot] = []
  private var places: [Key: Int] = [:]
  private var hand = 0
  private var held: [Key: Int] = [:]

  /// - Parameter capacity: most rates remembered, at least one.
  package init(_ table: [Line], capacity: Int = 16_384) {
    self.table = table
    self.capacity = max(1, capacity)
    lines = Dictionary(grouping: table.indices) { table[$0].work }
  }

  /// Number of rates and holdings remembered.
  package var count: Int { slots.count + held.count }

  /// Begins `work` for all `parties`, if the table permits it to each of them at `now`. What is held ends with `end`.
  ///
  /// - Parameters:
  ///   - parties: the name of the party of each scope; lines of other scopes do not apply.
  ///   - isPrivileged: whether reserves are open to it.
  package mutating func begin(
    _ work: Work, by parties: [Scope: String], isPrivileged: Bool = false, at now: MonotonicTime
  ) -> Verdict {
    if let refusal = refusal(of: work, by: parties, isPrivileged: isPrivileged, at: now) { return refusal }
    for key in keys(of: work, parties) {
      switch table[key.line].measure {
      case .rate(let count, let window):
        let place = places[key] ?? add(key, RateLimit(count, per: window), at: now)
        _ = slots[place].rate.admit(at: now)
      case .held: held[key, default: 0] += 1
      }
    }
    return .admitted
  }

  /// Why `work` may not begin at `now`; nil if it may. Counts nothing.
  package func refusal(
    of work: Work, by parties: [Scope: String], isPrivileged: Bool = false, at now: MonotonicTime
  ) -> Verdict? {
    for key in keys(of: work, parties) {
      switch table[key.line].measure {
      case .rate:
        guard let place = places[key], let opens = slots[place].rate.opens, !slots[place].rate.isOpen(at: now) else {
          continue
        }
        return .refused(table[key.line].scope, retryAfter: opens - now)
      case .held(let most, let reserve):
        guard held[key, default: 0] >= most - (isPrivileged ? 0 : min(most, max(0, reserve))) else { continue }
        return .refused(table[key.line].scope, retryAfter: QuotaBook.patience)
      }
    }
    return nil
  }

  /// Ends work that was begun with the same parties; matters only for what is held.
  package mutating func end(_ work: Work, by parties: [Scope: String]) {
    for key in keys(of: work, parties) {
      guard let count = held[key] else { continue }
      held[key] = count > 1 ? count - 1 : nil
    }
  }

  private func keys(of work: Work, _ parties: [Scope: String]) -> [Key] {
    lines[work, default: []].compactMap { line in
      parties[table[line].scope].map { Key(line: line, party: $0) }
    }
  }

  /// Finds a slot for a new party: a recovered one, a new one, or that of the party nearest to recovery.
  private mutating func add(_ key: Key, _ rate: RateLimit, at now: MonotonicTime) -> Int {
    var best: (place: Int, clears: MonotonicTime)?
    for _ in 0..<min(QuotaBook.examined, slots.count) {
      hand = hand + 1 < slots.count ? hand + 1 : 0
      let clears = slots[hand].rate.clears ?? now
      if best.map({ clears < $0.clears }) ?? true { best = (hand, clears) }
      if clears <= now { break }
    }
    let slot = Slot(key: key, rate: rate)
    guard let best, best.clears <= now || slots.count >= capacity else {
      slots.append(slot)
      places[key] = slots.count - 1
      return slots.count - 1
    }
    places[slots[best.place].key] = nil
    slots[best.place] = slot
    places[key] = best.place
    return best.place
  }
}
