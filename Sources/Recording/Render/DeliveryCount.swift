/// Counts which packets of a stream were delivered in any way: directly (however late), by retransmission, as a copy
/// in another packet (RED), or from the next one (in-band FEC).
///
/// Numbers are extended sequence numbers. Expected are all numbers from the first to the highest, except those that
/// the sender skipped; lost are the expected numbers that nothing delivered.
struct DeliveryCount: Hashable, Sendable, Codable {
  /// Numbers tracked individually: more than arrive late (`TrackSegment.greatestMisorder`), and more than wait.
  private static let span: Int64 = 16_384
  private static let wordBits: Int64 = 64

  private var first: Int64
  /// One past the highest number.
  private var end: Int64
  /// A bit for each of the last `span` numbers, as a ring buffer.
  private var bits: [UInt64]
  /// Numbers that the sender skipped, oldest first.
  private var jumps: [Range<Int64>] = []
  /// Total length of the jumps too old for any of their numbers to arrive.
  private var skipped: Int64 = 0
  private var delivered: Int64 = 0

  /// Starts before the number `first`.
  init(first: Int64) {
    self.first = first
    end = first
    bits = [UInt64](repeating: 0, count: Int(DeliveryCount.span / DeliveryCount.wordBits))
  }

  /// Packets that the sender sent.
  var expected: Int { Int(max(0, end - first - skipped - jumps.reduce(0) { $0 + Int64($1.count) })) }
  /// Packets that were never delivered.
  var lost: Int { max(0, expected - Int(delivered)) }

  /// Notes that `number` came; false if it had been delivered before.
  @discardableResult
  mutating func deliver(_ number: Int64) -> Bool {
    guard number > end - DeliveryCount.span else { return false }
    while end <= number {
      set(end, false)
      end += 1
    }
    guard !has(number) else { return false }
    set(number, true)
    delivered += 1
    first = min(first, number)
    // This number was not skipped after all.
    guard let index = jumps.firstIndex(where: { $0.contains(number) }) else { return true }
    let jump = jumps.remove(at: index)
    let rest = [jump.lowerBound..<number, number + 1..<jump.upperBound]
    jumps.insert(contentsOf: rest.filter { !$0.isEmpty }, at: index)
    return true
  }

  /// The sender continued with `number` and skipped the numbers before it.
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

  /// Moves the numbers from `number` on to a new count.
  mutating func split(from number: Int64) -> DeliveryCount {
    var rest = self
    (rest.first, rest.skipped, rest.delivered) = (min(number, end), 0, 0)
    rest.jumps = jumps.compactMap { DeliveryCount.nonempty($0.clamped(to: rest.first..<end)) }
    for given in max(rest.first, end - DeliveryCount.span + 1)..<max(rest.first, end) where has(given) {
      rest.delivered += 1
    }
    jumps = jumps.compactMap { DeliveryCount.nonempty($0.clamped(to: min(first, rest.first)..<rest.first)) }
    delivered -= rest.delivered
    // Late packets with earlier numbers lie before the bits that were moved.
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

/// Statistics of a track's packets.
struct TrackStatistics: Hashable, Sendable, Codable {
  var expectedPackets = 0
  /// Delivered by retransmission, redundancy or in-band FEC.
  var recoveredPackets = 0
  /// Never delivered in any way.
  var lostPackets = 0
  /// Arrived after their position was rendered.
  var latePackets = 0
  var duplicatePackets = 0
  /// Arrived when the window was already full.
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
