import Music

/// Which stored takes have their sound files here, and when somebody last wanted them.
struct ObjectCache {
  /// One take.
  struct Kept: Hashable, Sendable {
    /// Bytes of its sound files here.
    var bytes: Int64
    var read: WallTime
  }

  var kept: [TakeID: Kept] = [:]
  /// Takes whose files are being used by jobs, with their number.
  private var uses: [TakeID: Int] = [:]
  /// Takes whose files are being removed.
  private var leaving: Set<TakeID> = []

  var bytes: Int64 { kept.values.reduce(0) { $0.addingReportingOverflow($1.bytes).partialValue } }

  mutating func enter(_ take: TakeID, bytes: Int64, at now: WallTime) {
    kept[take] = Kept(bytes: bytes, read: now)
  }

  mutating func touch(_ take: TakeID, at now: WallTime) {
    kept[take]?.read = now
  }

  /// Keeps the files of a take here; false while they are being removed.
  mutating func hold(_ take: TakeID) -> Bool {
    guard !leaving.contains(take) else { return false }
    uses[take, default: 0] += 1
    return true
  }

  mutating func release(_ take: TakeID) {
    guard let count = uses[take] else { return }
    uses[take] = count > 1 ? count - 1 : nil
  }

  /// The take to be removed next, if there is more here than `limit`: of those not in use the least recently read.
  mutating func leaver(beyond limit: Int64) -> TakeID? {
    guard bytes > limit else { return nil }
    let free = kept.filter { $0.value.bytes > 0 && uses[$0.key] == nil && !leaving.contains($0.key) }
    guard let next = free.min(by: { ($0.value.read, $0.key) < ($1.value.read, $1.key) })?.key else { return nil }
    leaving.insert(next)
    return next
  }

  /// The files of a take were removed, or could not be.
  mutating func left(_ take: TakeID) {
    leaving.remove(take)
    kept[take]?.bytes = 0
  }
}
