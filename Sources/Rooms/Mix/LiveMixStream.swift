import Machines
import Realtime
import Recording

/// Gives the packets of one output of the live mix the face of a musician's RTP stream, so that they are forwarded like
/// one.
struct LiveMixStream {
  /// As in our own offers; it is rewritten for every listener.
  static let payloadType: UInt8 = 111

  private let ssrc = UInt32.random(in: 1 ... .max)

  /// The packet as if it had been received at `now`; nil only where it could not be RTP, which `RTPWriter` never makes.
  func received(_ packet: LiveMixPacket, at now: MonotonicTime) -> ReceivedPacket? {
    let writer = RTPWriter(
      payloadType: LiveMixStream.payloadType, marker: packet.sequence == 0,
      sequenceNumber: UInt16(truncatingIfNeeded: packet.sequence),
      timestamp: UInt32(truncatingIfNeeded: packet.timestamp), ssrc: ssrc)
    guard let rtp = try? RTPPacket(parsing: writer.packet(payload: packet.payload)) else { return nil }
    return ReceivedPacket(
      packet: rtp, extendedSequence: packet.sequence, extendedTimestamp: packet.timestamp, arrival: now)
  }
}
