import Machines

/// A packet that arrived, with what the stream that it belongs to makes of it.
package struct ReceivedPacket: Sendable {
  package var packet: RTPPacket
  /// Sequence number that never wraps; later segments lie above earlier ones.
  package var extendedSequence: Int64
  /// RTP timestamp that never wraps, in ticks of the payload's clock.
  package var extendedTimestamp: Int64
  package var arrival: MonotonicTime
  /// The same number had come before: to be counted, not used.
  package var isDuplicate: Bool
  /// The packet came because we had asked for it again.
  package var isRepair: Bool
  /// How often the sender had begun anew: 0 first; timestamps of two segments need not be on one line.
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
  /// When `other` would have come if it had been as long on its way as this packet; nil where it is of another stream, or
  /// a day away in RTP time.
  package func arrival(of other: ReceivedPacket) -> MonotonicTime? {
    guard other.packet.header.ssrc == packet.header.ssrc, other.segment == segment else { return nil }
    let ticks = other.extendedTimestamp.subtractingReportingOverflow(extendedTimestamp)
    guard !ticks.overflow, ticks.partialValue.magnitude < 1 << 32 else { return nil }
    // A tick is 1/48 ms.
    return arrival + .nanoseconds(ticks.partialValue * 62_500 / 3)
  }

  /// The packet of the newest stream that was the shortest on its way. Others came later than their RTP times say: what
  /// had to be sent again by a round trip and more.
  package static func quickest(of packets: some BidirectionalCollection<ReceivedPacket>) -> ReceivedPacket? {
    guard let newest = packets.last(where: { !$0.isRepair }) ?? packets.last else { return nil }
    return packets.compactMap { packet in packet.arrival(of: newest).map { (packet, $0) } }.min { $0.1 < $1.1 }?.0
  }
}
