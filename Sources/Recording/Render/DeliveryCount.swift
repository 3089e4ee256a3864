/// Which of a stream's numbers were delivered, in whatever way: the packet itself however late, sent again, as a copy in
/// another packet (RED), or out of the one behind it (in-band FEC).
///
/// Numbers are extended sequence numbers. What is expected are the numbers from the first to the highest, without those
/// that a sender jumped over; what is lost are those of them that nothing delivered.
struct DeliveryCount: Hashable, Sendable {
  /// Numbers that are remembered one by one: more than come late (`TrackSegment.greatestMisorder`), and more than wait.
  private static let span: Int64 = 16_384
  private static let wordBits: Int64 = 64

  private var first: Int64
  /// Behind the highest number.
  private var end: Int64
  /// A bit for each of the last `span` numbers, in a ring.
  private var bits: [UInt64]
  /// What the sender left out, oldest first.
  private var jumps: [Range<Int64>] = []
  /// Of jumps that are too long ago for one of their numbers to come.
  private var skipped: Int64 = 0
  private var delivered: Int64 = 0

  /// Begins in front of the number `first`.
  init(first: Int64) {
    self.first = first
    end = first
    bits = [UInt64](repeating: 0, count: Int(DeliveryCount.span / DeliveryCount.wordBits))
  }

  /// Packets that there were.
  var expected: Int { Int(max(0, end - first - skipped - jumps.reduce(0) { $0 + Int64($1.count) })) }
  /// Packets that nothing delivered.
  var lost: Int { max(0, expected - Int(delivered)) }

  mutating func deliver(_ number: Int64) {
    guard number > end - DeliveryCount.span else { return }
    while end <= number {
      set(end, false)
      end += 1
    }
    guard !has(number) else { return }
    set(number, true)
    delivered += 1
    first = min(first, number)
    // It was none of those that were left out.
    guard let index = jumps.firstIndex(where: { $0.contains(number) }) else { return }
    let jump = jumps.remove(at: index)
    let rest = [jump.lowerBound..<number, number + 1..<jump.upperBound]
    jumps.insert(contentsOf: rest.filter { !$0.isEmpty }, at: index)
  }

  /// The sender went on with `number` and left out those before it.
  mutating func jump(to number: Int64) {
    guard number > end else { return }
    jumps.append(end..<number)
    for passed in max(end, number - DeliveryCount.span)..<number { set(passed, false) }
    end = number
    while let oldest = jumps.first, oldest.upperBound <= end - DeliveryCount.span {
      skipped += Int64(oldest.count)
      jumps.removeFirst()
    }
  }

  /// Gives away the numbers from `number` on.
  mutating func split(from number: Int64) -> DeliveryCount {
    var rest = self
    (rest.first, rest.skipped, rest.delivered) = (min(number, end), 0, 0)
    rest.jumps = jumps.compactMap { DeliveryCount.nonempty($0.clamped(to: rest.first..<end)) }
    for given in max(rest.first, end - DeliveryCount.span + 1)..<max(rest.first, end) where has(given) {
      rest.delivered += 1
    }
    jumps = jumps.compactMap { DeliveryCount.nonempty($0.clamped(to: min(first, rest.first)..<rest.first)) }
    delivered -= rest.delivered
    // What comes late for the numbers before lies in front of the bits that were given away.
    while end > rest.first {
      end -= 1
      set(end, false)
    }
    return rest
  }

  private static func nonempty(_ range: Range<Int64>) -> Range<Int64>? { range.isEmpty ? nil : range }

  private func has(_ number: Int64) -> Bool {
    let (word, bit) = DeliveryCount.place(of: number)
    return bits[word] & bit != 0
  }

  private mutating func set(_ number: Int64, _ isThere: Bool) {
    let (word, bit) = DeliveryCount.place(of: number)
    bits[word] = isThere ? bits[word] | bit : bits[word] & ~bit
  }

  private static func place(of number: Int64) -> (word: Int, bit: UInt64) {
    let slot = ((number % span) + span) % span
    return (Int(slot / wordBits), 1 << UInt64(slot % wordBits))
  }
}

/// What happened to a track's packets.
struct TrackStatistics: Hashable, Sendable {
  var expectedPackets = 0
  /// Came after a NACK, by redundancy or by in-band FEC.
  var recoveredPackets = 0
  /// Never came, in whatever way.
  var lostPackets = 0
  /// Came after their place was rendered.
  var latePackets = 0
  var duplicatePackets = 0
  /// Came when far more waited than the window can hold.
  var refusedPackets = 0
  var concealedSamples: Int64 = 0

  static func + (left: TrackStatistics, right: TrackStatistics) -> TrackStatistics {
    TrackStatistics(
      expectedPackets: left.expectedPackets + right.expectedPackets,
      recoveredPackets: left.recoveredPackets + right.recoveredPackets,
      lostPackets: left.lostPackets + right.lostPackets,
      latePackets: left.latePackets + right.latePackets,
      duplicatePackets: left.duplicatePackets + right.duplicatePackets,
      refusedPackets: left.refusedPackets + right.refusedPackets,
      concealedSamples: left.concealedSamples + right.concealedSamples)
  }
}
