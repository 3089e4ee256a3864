import Glibc

/// Finds the course of a delay over time from the candidates of each instant: the one with the highest total score.
///
/// A sound card's clock runs a little fast or slow, so the delay changes slowly. Lost samples make it jump, which has
/// a cost, so that a single instant cannot cause one. An instant may be skipped.
struct PathSearch: Sendable {
  /// A candidate delay at an instant.
  struct Node: Hashable, Sendable {
    /// In samples (or values) of the time line.
    var delay: Double
    /// How well it fits, 0 to 1.
    var score: Double
  }

  /// The candidates at an instant.
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

  /// The largest change of the delay per unit of time without a jump.
  var slope: Double
  /// Measurement error of the readings.
  var slack: Double
  /// Cost of a jump, in scores.
  var jumpCost: Double
  /// A score of no value.
  var floor: Double
  /// Steps that may be skipped between two smooth neighbours.
  private static let reach = 12

  /// The best course, sorted by time, and its total score.
  func best(_ steps: [Step]) -> (points: [Point], worth: Double) {
    var totals: [[Double]] = []
    var former: [[(step: Int, node: Int)?]] = []
    // The best partial course so far; a jump continues from it.
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
