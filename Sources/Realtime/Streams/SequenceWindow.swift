/// Records which of the last `64 * words` numbers have arrived, to distinguish duplicates from late packets. Serves
/// extended sequence numbers, and the indices of SRTP (RFC 3711 section 3.3.2).
///
/// The bits are a ring: a packet in order clears one of them, where a shift would touch all.
struct SequenceWindow<let words: Int>: Sendable {
  enum Verdict: Hashable {
    case new
    case duplicate
    /// Behind the window, so a duplicate cannot be excluded.
    case tooOld
  }

  /// Size of the window.
  static var length: Int64 { 64 &* Int64(words) }

  private var bits = InlineArray<words, UInt64>(repeating: 0)
  private(set) var highest: Int64?

  init() {}

  /// Continues behind `highest`: it, and all before it, count as received. With nil, a new window.
  init(after highest: Int64?) {
    self.highest = highest
    if highest != nil { bits = InlineArray(repeating: .max) }
  }

  func verdict(on number: Int64) -> Verdict {
    guard let highest, number <= highest else { return .new }
    guard highest &- number < Self.length else { return .tooOld }
    let (word, bit) = Self.place(of: number)
    return bits[word] & bit == 0 ? .new : .duplicate
  }

  /// Marks `number` as received; false if it was already received or is too old to tell.
  @discardableResult mutating func insert(_ number: Int64) -> Bool {
    guard verdict(on: number) == .new else { return false }
    if number > highest ?? .min {
      if let highest { forget(after: highest, upTo: number) }
      highest = number
    }
    let (word, bit) = Self.place(of: number)
    bits[word] |= bit
    return true
  }

  /// Clears the slots after `last` up to `number` for reuse.
  private mutating func forget(after last: Int64, upTo number: Int64) {
    if number &- last >= Self.length {
      bits = InlineArray(repeating: 0)
      return
    }
    var next = last &+ 1
    while next <= number {
      let (word, bit) = Self.place(of: next)
      bits[word] &= ~bit
      next &+= 1
    }
  }

  private static func place(of number: Int64) -> (word: Int, bit: UInt64) {
    let (word, bit) = (number &>> 6, number & 63)
    // A remainder that is never negative; `words` is a power of two.
    return (Int(word & (Int64(words) &- 1)), 1 &<< UInt64(bit))
  }
}
