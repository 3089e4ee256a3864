import Realtime
import Recording
import Signaling

/// A journaled RTP packet's header, for inspecting a journal.
struct PacketReading {
  private let header: RTPHeader?
  private let count: Int

  init(_ bytes: [UInt8]) {
    count = bytes.count
    header = (try? RTPPacket(parsing: bytes))?.header
  }

  /// Sender and sequence number; nil if it is not an RTP packet.
  var place: (ssrc: UInt32, sequenceNumber: UInt16)? { header.map { ($0.ssrc, $0.sequenceNumber) } }

  var members: JSONObject {
    guard let header else { return ["bytes": .integer(Int64(count)), "readable": false] }
    return [
      "bytes": .integer(Int64(count)), "ssrc": .integer(Int64(header.ssrc)),
      "sequenceNumber": .integer(Int64(header.sequenceNumber)), "timestamp": .integer(Int64(header.timestamp)),
      "payloadType": .integer(Int64(header.payloadType)),
    ]
  }
}
