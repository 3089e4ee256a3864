/// What two sounds have in common, at any level: sums over as many samples as are added.
struct Likeness {
  private var product = 0.0
  private var first = 0.0
  private var second = 0.0

  /// Adds samples of both, the one beside the other.
  mutating func add(_ left: [Float], _ right: [Float]) {
    for (x, y) in zip(left, right) {
      product += Double(x) * Double(y)
      first += Double(x) * Double(x)
      second += Double(y) * Double(y)
    }
  }

  /// True where one of them is silent, or nothing was added.
  var isEmpty: Bool { first <= 0 || second <= 0 }
  /// The correlation coefficient, -1 to 1; 0 where `isEmpty`.
  var coefficient: Double { isEmpty ? 0 : product / (first * second).squareRoot() }
  /// The level of the first over the second's, by which least is left over; 1 where `isEmpty`.
  var gain: Double { isEmpty ? 1 : product / second }
  /// The part of the first one's power that is left then, 0 to 1; what is turned round leaves all.
  var left: Double { product > 0 && !isEmpty ? max(0, 1 - product * product / (first * second)) : 1 }
}
