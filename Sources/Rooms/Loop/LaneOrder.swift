/// Which lane of a loop comes first in a turn. A turn that one step of the first lane fills has nothing left for the others,
/// so that after such a turn the next lane is the first.
struct LaneOrder {
  enum Lane: CaseIterable { case newcomers, deadlines, jobs }

  private static let orders: [[Lane]] = Lane.allCases.indices.map { first in
    Array(Lane.allCases[first...] + Lane.allCases[..<first])
  }

  private var first = 0

  var lanes: [Lane] { LaneOrder.orders[first] }

  mutating func turn(hasSpentItsTime: Bool) {
    first = hasSpentItsTime ? (first + 1) % LaneOrder.orders.count : 0
  }
}
