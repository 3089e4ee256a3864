/// The error bound of a stream's placement over time.
///
/// Each block has the bound at the time of its rendering: that of the clock, plus the difference between placement
/// and estimate. Blocks rendered before the first round trip get their bound when one is known.
package struct BoundCurve: Sendable, Codable {
  /// A stretch of the time line, in samples; bounds are in seconds, infinite if unknown.
  package struct Stretch: Hashable, Sendable, Codable {
    package var start: Int64
    package var end: Int64
    /// The largest bound of the stretch.
    package var bound: Double
    /// The smallest bound of the stretch.
    var least: Double
    package var basis: String
    package var unknownBecause: String?
  }

  /// A stretch waiting for a round trip.
  private struct Waiting: Sendable, Codable {
    var start: Int64
    var end: Int64
    /// Position of `start` in the stream.
    var position: Double
    var doubt: Double
  }

  /// Maximum age for which a round trip still bounds a capture time, in seconds: the drift estimate is good enough
  /// for that.
  private static let hindsight = 60.0
  /// Length of a waiting stretch, in samples.
  private static let waitingSpan: Int64 = 48_000
  /// Stretches are merged if their bounds differ by at most a quarter, or by this many seconds.
  private static let likeness = (factor: 1.25, seconds: 0.000_25)
  /// Maximum number of stretches; beyond it, the most similar neighbours are merged.
  private static let capacity = 128

  private var stretches: [Stretch] = []
  private var waiting: [Waiting] = []

  package init() {}

  /// Adds a piece of `frames` samples, placed `difference` stream samples away from the estimate of `clock`.
  ///
  /// - Parameter doubt: additional possible error, in seconds.
  package mutating func note(
    _ piece: Placement.Piece, frames: Int, difference: Double, clock: SenderClock, doubt: Double = 0
  ) {
    let end = piece.start + Int64(frames)
    // Evaluated at its end: a microphone may have dropped samples within it.
    let bound = clock.errorBound(atMedia: Placement.media(of: piece.position + piece.step * Double(frames)))
    guard bound.isFinite, clock.isWitnessed else {
      if let last = waiting.last, piece.start - last.start < BoundCurve.waitingSpan {
        waiting[waiting.count - 1].end = end
        waiting[waiting.count - 1].doubt = max(last.doubt, doubt)
      } else {
        waiting.append(Waiting(start: piece.start, end: end, position: piece.position, doubt: doubt))
      }
      return
    }
    if !waiting.isEmpty { settle(by: clock) }
    add(
      Stretch(
        start: piece.start, end: end, bound: bound + abs(difference) / SenderClock.rate + doubt, least: .infinity,
        basis: clock.basis))
  }

  /// Adds a piece placed by a whole-take line.
  mutating func note(
    _ piece: Placement.Piece, frames: Int, difference: Double, line: WholeTakeLine, basis: String, doubt: Double
  ) {
    add(
      Stretch(
        start: piece.start, end: piece.start + Int64(frames),
        bound: line.errorBound + abs(difference) / SenderClock.rate + doubt, least: .infinity, basis: basis))
  }

  /// Returns all stretches in order, once the stream is over; `clock` is its final state.
  package func finished(by clock: SenderClock) -> [Stretch] {
    var curve = self
    curve.settle(by: clock)
    return curve.stretches
  }

  /// Joins the stretches of a track's streams.
  ///
  /// - Parameter doubt: amount by which all bounds turned out to be too small, in seconds.
  static func joined(_ lists: [[Stretch]], doubt: Double) -> [Stretch] {
    var stretches = lists.flatMap { $0 }
    for index in stretches.indices {
      stretches[index].bound += doubt
      stretches[index].least += doubt
    }
    while stretches.count > capacity { mergeLikest(&stretches) }
    return stretches
  }

  private mutating func settle(by clock: SenderClock) {
    let now = waiting.last?.end ?? 0
    for block in waiting {
      let age = Double(now - block.start) / SenderClock.rate
      let bound = clock.errorBound(atMedia: Placement.media(of: block.position + Double(block.end - block.start)))
      let isKnown = bound.isFinite && age <= BoundCurve.hindsight
      let away = abs(Placement.difference(of: block.position, at: block.start, clock)) / SenderClock.rate
      add(
        Stretch(
          start: block.start, end: block.end,
          bound: isKnown ? bound + away + clock.extrapolationError(over: age) + block.doubt : .infinity,
          least: .infinity,
          basis: clock.basis, unknownBecause: isKnown ? nil : clock.unknownBecause ?? SenderClock.learnedLate))
    }
    waiting.removeAll()
  }

  private mutating func add(_ stretch: Stretch) {
    var stretch = stretch
    stretch.least = stretch.bound
    if let last = stretches.last, BoundCurve.isLike(last, stretch) {
      stretches[stretches.count - 1] = BoundCurve.merge(last, stretch)
      return
    }
    stretches.append(stretch)
    if stretches.count > BoundCurve.capacity { BoundCurve.mergeLikest(&stretches) }
  }

  private static func isLike(_ left: Stretch, _ right: Stretch) -> Bool {
    guard left.basis == right.basis, left.unknownBecause == right.unknownBecause else { return false }
    let (least, greatest) = (min(left.least, right.least), max(left.bound, right.bound))
    return least == greatest || greatest <= max(least * likeness.factor, least + likeness.seconds)
  }

  private static func merge(_ left: Stretch, _ right: Stretch) -> Stretch {
    var merged = left.bound >= right.bound ? left : right
    merged.start = left.start
    merged.end = right.end
    merged.least = min(left.least, right.least)
    return merged
  }

  private static func mergeLikest(_ stretches: inout [Stretch]) {
    func unlikeness(_ index: Int) -> Double {
      let (left, right) = (stretches[index].bound, stretches[index + 1].bound)
      return left == right ? 0 : max(left, right) / max(1e-6, min(left, right))
    }
    guard stretches.count > 1,
      let index = (0..<stretches.count - 1).min(by: { unlikeness($0) < unlikeness($1) })
    else { return }
    stretches[index] = merge(stretches[index], stretches.remove(at: index + 1))
  }
}
