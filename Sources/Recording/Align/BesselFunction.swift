/// What Kaiser's window is made of, for every filter that is designed here.
enum BesselFunction {
  /// The modified Bessel function of the first kind and order zero, by its power series (Abramowitz and Stegun 9.6.12).
  static func i0(_ x: Double) -> Double {
    var (sum, term, index) = (1.0, 1.0, 1.0)
    while term > sum * 1e-17 {
      term *= (x / 2 / index) * (x / 2 / index)
      sum += term
      index += 1
    }
    return sum
  }
}
