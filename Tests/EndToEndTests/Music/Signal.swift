/// Sums over signals.
enum Signal {
  static func energy(_ samples: [Float]) -> Double { product(samples, samples) }

  static func product(_ left: [Float], _ right: [Float]) -> Double {
    left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        var sum = 0.0
        // A plain loop: tests are built without optimisation.
        let count = min(left.count, right.count)
        var index = 0
        while index < count {
          sum += Double(left[index] * right[index])
          index += 1
        }
        return sum
      }
    }
  }

  /// The correlation coefficient of two signals as they lie.
  static func coefficient(_ left: [Float], _ right: [Float]) -> Double {
    let scale = (energy(left) * energy(right)).squareRoot()
    return scale > 0 ? product(left, right) / scale : 0
  }
}
