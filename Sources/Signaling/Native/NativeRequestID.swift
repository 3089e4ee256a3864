/// The number of a request, which its answer bears too: 0 to 2^53 - 1, what a browser counts exactly.
package struct NativeRequestID: Hashable, Sendable, CustomStringConvertible {
  package let number: Int64

  static let range: ClosedRange<Int64> = 0...9_007_199_254_740_991

  package init?(_ number: Int64) {
    guard NativeRequestID.range.contains(number) else { return nil }
    self.number = number
  }

  /// The identifiers that a client of ours counts up itself.
  init(counting number: Int64) {
    self.number = number & NativeRequestID.range.upperBound
  }

  package var description: String { String(number) }
}
