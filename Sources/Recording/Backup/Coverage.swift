/// Stretches of a take, in samples.
package enum Coverage {
  /// The same samples as stretches by place that neither overlap nor touch.
  package static func union(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
    var found: [Range<Int64>] = []
    for range in ranges.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = found.last, range.lowerBound <= last.upperBound {
        found[found.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        found.append(range)
      }
    }
    return found
  }

  /// Samples of stretches that do not overlap.
  package static func length(_ ranges: [Range<Int64>]) -> Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }
}
