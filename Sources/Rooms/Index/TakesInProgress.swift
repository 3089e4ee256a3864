import Music

/// Takes and sessions that may not stand in the index yet: those who ask for them by their identifiers find them all the
/// same.
struct TakesInProgress {
  /// Of each at most; of more, the oldest are found only once the index has them.
  private static let capacity = 1_024

  private(set) var takes: [TakeID: Take] = [:]
  private(set) var sessions: [SessionID: Session] = [:]

  mutating func add(_ take: Take) {
    takes[take.id] = take
    if takes.count > TakesInProgress.capacity, let oldest = takes.keys.min() { takes[oldest] = nil }
  }

  mutating func set(_ state: TakeState, of take: TakeID) { takes[take]?.state = state }
  mutating func remove(_ take: TakeID) { takes[take] = nil }

  /// The index has all that was recorded; of what rolls more will come.
  mutating func removeAllButRolling() {
    takes = takes.filter { $0.value.state == .rolling }
    sessions = sessions.filter { $0.value.endedAt == nil }
  }

  mutating func add(_ session: Session) {
    sessions[session.id] = session
    if sessions.count > TakesInProgress.capacity, let oldest = sessions.keys.min() { sessions[oldest] = nil }
  }

  mutating func end(_ session: SessionID, at time: WallTime) { sessions[session]?.endedAt = time }
  mutating func remove(_ session: SessionID) { sessions[session] = nil }
}
