import Glibc

/// The factors of the two sides for a place between left and right.
///
/// Constant power, 1 on both sides in the middle: `√2 cos θ` and `√2 sin θ`, θ from 0 (left) to 90 degrees. Fully to one
/// side is +3 dB there. Mono tracks are placed by it; of stereo tracks it is the balance, so that neither side is ever
/// added to the other.
struct Pan: Hashable, Sendable {
  var left: Double
  var right: Double

  /// - Parameter place: -1 left, 0 the middle, 1 right.
  init(_ place: Double) {
    guard place != 0 else {
      // The cosine of 45 degrees is rounded; the middle has to be exactly unchanged.
      (left, right) = (1, 1)
      return
    }
    let angle = (min(max(place, -1), 1) + 1) * Double.pi / 4
    left = place >= 1 ? 0 : 2.0.squareRoot() * cos(angle)
    right = place <= -1 ? 0 : 2.0.squareRoot() * sin(angle)
  }
}
