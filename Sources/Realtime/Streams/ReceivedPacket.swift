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
