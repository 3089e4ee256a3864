import Music

extension FuzzTarget {
  /// A query for takes: read, written as its canonical text, and read again.
  static let query = FuzzTarget("query", longest: 4_096) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    let now = WallTime(milliseconds: 1_795_262_400_000)
    let read = Result { () throws(QueryProblem) in try TakeCondition(reading: text, now: now) }
    switch read {
    case .success(let condition):
      let canonical = condition.description
      // Times are longer in it than "7d".
      guard canonical.unicodeScalars.count <= TakeCondition.longestText else { return }
      try promise((try? TakeCondition(reading: canonical, now: now)) == condition, "\(canonical) means something else")
    case .failure(let problem):
      try promise((1...TakeCondition.longestText).contains(problem.column), "column \(problem.column)")
    }
  }
}
