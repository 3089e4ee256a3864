/// Remembers which of the last 1024 extended sequence numbers came, to tell a duplicate from a late packet.
struct SequenceWindow: Sendable {
  /// Numbers that are remembered: twice what `SequenceExtender` calls reordering.
  static let length: Int64 = 1024
  private var words = InlineArray<16, UInt64>(repeating: 0)
  private var highest: Int64?

  init() {}

  /// Marks `number` as come; false where it had come before or is too old to tell.
  mutating func insert(_ number: Int64) -> Bool {
    if let highest {
      if number > highest {
        forget(after: highest, upTo: number)
        self.highest = number
      } else if highest &- number >= Self.length {
        return false
      }
    } else {
      highest = number
    }
    let (word, bit) = Self.place(of: number)
    if words[word] & bit != 0 { return false }
    words[word] |= bit
    return true
  }

  /// Clears the places that the numbers behind `last` up to `number` take over.
  private mutating func forget(after last: Int64, upTo number: Int64) {
    if number &- last >= Self.length {
      words = InlineArray(repeating: 0)
      return
    }
    var next = last &+ 1
    while next <= number {
      let (word, bit) = Self.place(of: next)
      words[word] &= ~bit
      next &+= 1
    }
  }

  private static func place(of number: Int64) -> (word: Int, bit: UInt64) {
    let index = Int(number & (length &- 1))
    return (index &>> 6, 1 &<< UInt64(index & 63))
  }
}
