import Music

/// The index did not answer in time, or the service ended before it took a write.
enum IndexUnavailable: IndexProblem, CustomStringConvertible {
  case silent(seconds: Double)
  case stopped

  var isIndexUnavailable: Bool { true }

  var description: String {
    switch self {
    case .silent(let seconds): "the index did not answer within \(seconds) s; try again in a moment"
    case .stopped: "the service ended before the index took it; the next start tells the index"
    }
  }
}
