/// The number of a request, repeated in its response: 0 to 2^53 - 1, the exact integers of a browser.
package struct NativeRequestID: Hashable, Sendable, CustomStringConvertible {
  package let number: Int64

  static let range: ClosedRange<Int64> = 0...9_007_199_254_740_991

  package init?(_ number: Int64) {
    guard NativeRequestID.range.contains(number) else { return nil }
    self.number = number
  }

  /// An identifier counted up by our own client.
  init(counting number: Int64) {
    self.number = number & NativeRequestID.range.upperBound
  }

  package var description: String { String(number) }
}
