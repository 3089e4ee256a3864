/// The stretches of a stream that are talk between the musicians: heard by them, and silence in every file.
///
/// They are counted in packets, because a lost packet of a talk may arrive after it, when it is sent once more.
struct TalkStretches {
  /// Most stretches remembered: nobody asks for packets that are older than a second.
  private static let maximum = 8

  private var stretches: [ClosedRange<Int64>] = []
  private var isOpen = false
  /// The newest packet that came outside of a talk.
  private var newest = Int64.min

  /// True if the packet of this number belongs to a talk.
  mutating func covers(_ sequence: Int64, isTalking: Bool) -> Bool {
    guard isTalking else {
      // Nobody knows whether a packet between the talk and this one, which may still come, was talk.
      if isOpen, let last = stretches.popLast() {
        stretches.append(last.lowerBound...max(last.upperBound, sequence &- 1))
      }
      isOpen = false
      newest = max(newest, sequence)
      return stretches.contains { $0.contains(sequence) }
    }
    // Music of before the talk, which was lost and comes only now.
    guard sequence > newest else { return stretches.contains { $0.contains(sequence) } }
    if isOpen, let last = stretches.popLast() {
      stretches.append(min(last.lowerBound, sequence)...max(last.upperBound, sequence))
    } else {
      isOpen = true
      stretches.append(sequence...sequence)
      if stretches.count > TalkStretches.maximum { stretches.removeFirst() }
    }
    return true
  }
}
