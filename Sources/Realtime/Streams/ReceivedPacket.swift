import Machines

/// A received packet with its position in its stream.
package struct ReceivedPacket: Sendable {
  package var packet: RTPPacket
  /// Sequence number without wraps; later segments lie above earlier ones.
  package var extendedSequence: Int64
  /// RTP timestamp without wraps, in ticks of the payload's clock.
  package var extendedTimestamp: Int64
  package var arrival: MonotonicTime
  /// True if the number was received before; to be counted but not used.
  package var isDuplicate: Bool
  /// True if the packet was received because we requested it again.
  package var isRepair: Bool
  /// Number of restarts of the sender so far; timestamps of different segments may be unrelated.
  package var segment: Int

  package init(
    packet: RTPPacket, extendedSequence: Int64, extendedTimestamp: Int64, arrival: MonotonicTime,
    isDuplicate: Bool = false, isRepair: Bool = false, segment: Int = 0
  ) {
    self.packet = packet
    self.extendedSequence = extendedSequence
    self.extendedTimestamp = extendedTimestamp
    self.arrival = arrival
    self.isDuplicate = isDuplicate
    self.isRepair = isRepair
    self.segment = segment
  }
}

extension ReceivedPacket {
  /// When `other` would have arrived with the same transit time as this packet; nil if it belongs to another stream,
  /// or is more than a day away in RTP time.
  package func arrival(of other: ReceivedPacket) -> MonotonicTime? {
    guard other.packet.header.ssrc == packet.header.ssrc, other.segment == segment else { return nil }
    let ticks = other.extendedTimestamp.subtractingReportingOverflow(extendedTimestamp)
    guard !ticks.overflow, ticks.partialValue.magnitude < 1 << 32 else { return nil }
    // A tick is 1/48 ms.
    return arrival + .nanoseconds(ticks.partialValue * 62_500 / 3)
  }

  /// The packet of the newest stream with the shortest transit time. Others arrived later than their RTP times
  /// suggest, retransmissions by a round trip or more.
  package static func quickest(of packets: some BidirectionalCollection<ReceivedPacket>) -> ReceivedPacket? {
    guard let newest = packets.last(where: { !$0.isRepair }) ?? packets.last else { return nil }
    return packets.compactMap { packet in packet.arrival(of: newest).map { (packet, $0) } }.min { $0.1 < $1.1 }?.0
  }
}
