import Realtime
import Synchronization

/// Counts refused candidates of the whole service.
final class CandidateCounts: Sendable {
  private let counts = Mutex<[CandidatePolicy.Objection: Int]>([:])

  func count(_ objection: CandidatePolicy.Objection) {
    counts.withLock { $0[objection, default: 0] += 1 }
  }

  var refused: [CandidatePolicy.Objection: Int] { counts.withLock { $0 } }
}
