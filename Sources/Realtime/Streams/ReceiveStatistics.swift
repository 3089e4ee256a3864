import Machines

/// Counters of one incoming stream, and its report block (RFC 3550 A.3, A.8).
package struct ReceiveStatistics: Sendable, Hashable {
  /// The payload's clock rate in ticks per second.
  package let clockRate: Int
  /// Number of packets, without duplicates.
  package private(set) var packets: Int64 = 0
  /// Payload bytes of these packets.
  package private(set) var payloadBytes: Int64 = 0
  package private(set) var duplicates: Int64 = 0
  /// Packets received because they were requested again.
  package private(set) var repairs: Int64 = 0
  /// Highest extended sequence number; nil before the first packet.
  package private(set) var highestSequence: Int64?

  /// First number of the current segment.
  private var segmentStart: Int64 = 0
  /// Packets expected in earlier segments.
  private var expectedEarlier: Int64 = 0
  private var expectedAtReport: Int64 = 0
  private var packetsAtReport: Int64 = 0
  /// Interarrival jitter in ticks.
  private var jitterTicks = 0.0
  private var lastArrival: MonotonicTime?
  private var lastTimestamp: Int64 = 0

  package init(clockRate: Int) {
    self.clockRate = max(clockRate, 1)
  }

  /// Packets expected in all segments.
  package var expected: Int64 {
    guard let highestSequence else { return 0 }
    return expectedEarlier &+ highestSequence &- segmentStart &+ 1
  }

  /// Packets currently missing; retransmissions reduce the count.
  package var lost: Int64 { max(expected &- packets, 0) }

  /// Interarrival jitter in ticks, a moving average over about sixteen packets.
  package var jitter: UInt32 { UInt32(min(jitterTicks, 0x7FFF_FFFF)) }

  /// The jitter as a time span.
  package var jitterSpan: MonotonicTime.Span {
    .nanoseconds(Int64(saturating: (Double(jitter) * 1e9 / Double(clockRate)).rounded(.down)))
  }

  /// Records a packet; `startsSegment` is true if its sender restarted.
  mutating func received(_ packet: ReceivedPacket, startsSegment: Bool) {
    if packet.isDuplicate {
      // RFC 3550 would count it as received, so a duplicate retransmission would hide a loss.
      duplicates &+= 1
      return
    }
    packets &+= 1
    payloadBytes &+= Int64(packet.packet.header.payloadRange.count)
    if packet.isRepair { repairs &+= 1 }

    let number = packet.extendedSequence
    guard let highest = highestSequence, !startsSegment else {
      expectedEarlier = expected
      segmentStart = number
      highestSequence = number
      lastArrival = packet.arrival
      lastTimestamp = packet.extendedTimestamp
      return
    }
    // A packet older than the first: the stream began earlier than assumed.
    if number < segmentStart { segmentStart = number }
    guard number > highest else { return }
    highestSequence = number
    // Late packets and retransmissions do not reflect the path's jitter, so only packets that advance the stream are
    // measured.
    measureJitter(timestamp: packet.extendedTimestamp, arrival: packet.arrival)
  }

  /// Returns the block for the next report and starts a new reporting interval.
  package mutating func reportBlock(ssrc: UInt32) -> ReportBlock {
    let expectedInInterval = expected &- expectedAtReport
    let lostInInterval = expectedInInterval &- (packets &- packetsAtReport)
    expectedAtReport = expected
    packetsAtReport = packets
    // Retransmissions for the previous interval can make it negative, which is not a loss.
    let share = expectedInInterval > 0 && lostInInterval > 0 ? min(lostInInterval &<< 8 / expectedInInterval, 255) : 0
    return ReportBlock(
      ssrc: ssrc, fractionLost: UInt8(truncatingIfNeeded: share),
      cumulativeLost: Int32(truncatingIfNeeded: min(expected &- packets, 0x7F_FFFF)),
      highestSequence: UInt32(truncatingIfNeeded: highestSequence ?? 0), jitter: jitter)
  }

  private mutating func measureJitter(timestamp: Int64, arrival: MonotonicTime) {
    if let lastArrival {
      let elapsed = (arrival - lastArrival).seconds * Double(clockRate)
      let difference = abs(elapsed - Double(timestamp &- lastTimestamp))
      jitterTicks += (difference - jitterTicks) / 16
    }
    lastArrival = arrival
    lastTimestamp = timestamp
  }
}
