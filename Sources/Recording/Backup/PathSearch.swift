import Glibc

/// Finds the course of a delay over time through what every instant offers: the one on which most agrees.
///
/// A sound card's clock runs a little fast or slow, so the delay changes slowly; where samples were lost it jumps, which
/// has its price, so that one instant alone moves nothing. An instant may be left out.
struct PathSearch: Sendable {
  /// A delay that would fit at an instant.
  struct Node: Hashable, Sendable {
    /// In samples (or values) of the time line.
    var delay: Double
    /// How well it fits, 0 to 1.
    var score: Double
  }

  /// What an instant offers.
  struct Step: Hashable, Sendable {
    /// In the unit of `Node.delay`.
    var time: Double
    var nodes: [Node]
  }

  /// The chosen delay of one step.
  struct Point: Hashable, Sendable {
    var step: Int
    var node: Node
  }

  /// The most that the delay changes in a unit of time without a jump.
  var slope: Double
  /// What the readings themselves are off by.
  var slack: Double
  /// What a jump costs, in scores.
  var jumpCost: Double
  /// A score that is worth nothing.
  var floor: Double
  /// Steps that may be left out between two that follow each other smoothly.
  private static let reach = 12

  /// The best course, in order of time, and what it is worth.
  func best(_ steps: [Step]) -> (points: [Point], worth: Double) {
    var totals: [[Double]] = []
    var former: [[(step: Int, node: Int)?]] = []
    // The best end so far: what a jump goes on from.
    var leader: (step: Int, node: Int, total: Double)?
    for (index, step) in steps.enumerated() {
      var total = [Double](repeating: 0, count: step.nodes.count)
      var from = [(step: Int, node: Int)?](repeating: nil, count: step.nodes.count)
      for (number, node) in step.nodes.enumerated() {
        var best = 0.0
        if let leader, leader.total - jumpCost > best {
          best = leader.total - jumpCost
          from[number] = (leader.step, leader.node)
        }
        for earlier in max(0, index - PathSearch.reach)..<index {
          let permitted = slope * (step.time - steps[earlier].time) + slack
          for (other, before) in steps[earlier].nodes.enumerated() where totals[earlier][other] > best {
            guard abs(node.delay - before.delay) <= permitted else { continue }
            best = totals[earlier][other]
            from[number] = (earlier, other)
          }
        }
        total[number] = best + max(0, node.score - floor)
      }
      totals.append(total)
      former.append(from)
      for (number, value) in total.enumerated() where value > leader?.total ?? 0 { leader = (index, number, value) }
    }
    guard let leader else { return ([], 0) }
    var points: [Point] = []
    var place: (step: Int, node: Int)? = (leader.step, leader.node)
    while let current = place {
      points.append(Point(step: current.step, node: steps[current.step].nodes[current.node]))
      place = former[current.step][current.node]
    }
    return (points.reversed(), leader.total)
  }
}
