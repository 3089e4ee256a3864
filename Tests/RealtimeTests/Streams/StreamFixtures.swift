import Machines
import Testing

@testable import Realtime

/// A stream of Opus packets of 20 ms for tests.
struct OpusSource {
  var ssrc: UInt32 = 0xA11CE
  var sequenceNumber: UInt16 = 0
  var timestamp: UInt32 = 0

  /// The packet `index` packets after the start.
  func packet(_ index: Int, payload: [UInt8] = [1, 2, 3], extensions: [RTPHeaderExtension] = []) throws -> RTPPacket {
    let writer = RTPWriter(
      payloadType: 111, marker: index == 0,
      sequenceNumber: sequenceNumber &+ UInt16(truncatingIfNeeded: index),
      timestamp: timestamp &+ UInt32(truncatingIfNeeded: index * 960), ssrc: ssrc)
    return try RTPPacket(parsing: writer.packet(extensions: extensions, payload: payload))
  }
}
