/// When a stream's samples were captured, by all that a whole take tells of it: straight between knots some seconds apart.
package struct WholeTakeLine: Hashable, Sendable {
  struct Knot: Hashable, Sendable {
    var media: Double
    /// In seconds from the take's zero.
    var captured: Double
  }

  /// At least two, both times growing.
  let knots: [Knot]
  /// Half width of the interval around it in which the truth lies, in seconds.
  let errorBound: Double

  /// Nil where the knots are no line that could be followed.
  init?(knots: [Knot], errorBound: Double) {
    guard knots.count > 1 else { return nil }
    for (left, right) in zip(knots, knots.dropFirst())
    where right.media <= left.media || right.captured <= left.captured {
      return nil
    }
    self.knots = knots
    self.errorBound = errorBound
  }

  /// The piece that holds at a place, by `key` of its knots; the first and the last go on beyond their ends.
  private func piece(at place: Double, by key: KeyPath<Knot, Double>) -> (from: Knot, slope: Double) {
    var (low, high) = (0, knots.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if knots[middle][keyPath: key] <= place { low = middle } else { high = middle }
    }
    let (left, right) = (knots[low], knots[high])
    return (left, (right.captured - left.captured) / (right.media - left.media))
  }
}

extension WholeTakeLine: CaptureLine {
  package func captureTime(atMedia media: Double) -> Double {
    let (from, slope) = piece(at: media, by: \.media)
    return from.captured + (media - from.media) * slope
  }

  package func media(at time: Double) -> Double {
    let (from, slope) = piece(at: time, by: \.captured)
    return from.media + (time - from.captured) / slope
  }

  package func slope(at time: Double) -> Double { piece(at: time, by: \.captured).slope - 1 }
}
