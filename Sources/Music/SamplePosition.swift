/// A place or a length on a take's time line, in whole samples at 48 kHz from the take's zero.
///
/// All of Jamjar's time lines are 48 kHz integers: a length never depends on the rounding of a fraction.
package struct SamplePosition: Hashable, Comparable, Sendable, Codable {
  /// Samples per second of every time line, in Hz.
  package static let rate: Int64 = 48_000

  package var samples: Int64

  package init(_ samples: Int64) {
    self.samples = samples
  }

  package static let zero = SamplePosition(0)

  /// Seconds from the take's zero, as a fraction.
  package var seconds: Double { Double(samples) / Double(SamplePosition.rate) }

  package static func < (left: SamplePosition, right: SamplePosition) -> Bool { left.samples < right.samples }

  package init(from decoder: any Decoder) throws {
    samples = try decoder.singleValueContainer().decode(Int64.self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(samples)
  }
}
