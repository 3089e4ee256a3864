import Music

extension TakeState {
  /// Whether `goal` is this state or can be reached from it by any number of allowed moves.
  ///
  /// A manifest may be several moves ahead of the index (a crash lay between), but never behind it.
  func mayReach(_ goal: TakeState) -> Bool {
    var reached: Set<TakeState> = [self]
    var edge = reached
    while !edge.isEmpty {
      edge = Set(TakeState.allCases.filter { next in edge.contains { $0.mayBecome(next) } }).subtracting(reached)
      reached.formUnion(edge)
    }
    return reached.contains(goal)
  }
}
