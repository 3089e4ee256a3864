/// Picks the delays at which a correlation has its maxima.
struct Maxima {
  /// Maxima at most.
  private static let most = 6
  /// Two delays closer than this are one, in samples.
  private static let separation = 6.0

  /// A maximum has at least this part of the greatest.
  var contest: Double
  /// Of delays that fit alike the smallest is meant: what a sample of delay costs.
  var cost = 0.0

  /// The best first, to a fraction of a sample by a parabola through three values.
  ///
  /// - Parameter values: for delays from -`values.count / 2` to as many samples; an odd number.
  func pick(from values: [Double]) -> [PathSearch.Node] {
    guard values.count > 2, let top = values.max(), top > 0 else { return [] }
    var found: [PathSearch.Node] = []
    for index in 1..<(values.count - 1) where values[index] >= top * contest {
      let (before, at, after) = (values[index - 1], values[index], values[index + 1])
      guard at >= before, at > after else { continue }
      let curvature = before - 2 * at + after
      let shift = curvature < 0 ? (before - after) / (2 * curvature) : 0
      found.append(PathSearch.Node(delay: Double(index - values.count / 2) + shift, score: at))
    }
    found.sort { $0.score - abs($0.delay) * cost > $1.score - abs($1.delay) * cost }
    var kept: [PathSearch.Node] = []
    for node in found where kept.count < Maxima.most {
      if kept.allSatisfy({ abs($0.delay - node.delay) >= Maxima.separation }) { kept.append(node) }
    }
    return kept
  }
}
