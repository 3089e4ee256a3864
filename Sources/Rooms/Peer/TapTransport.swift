import Realtime
import Synchronization

/// The transport of a subscription within this process: every RTP packet becomes an Opus packet of a tap.
final class TapTransport: DatagramTransport {
  /// Number of packets that may wait for their reader: some seconds.
  private static let backlog = 256

  let packets: AsyncStream<AudioTap.Packet>
  private let sink: AsyncStream<AudioTap.Packet>.Continuation
  private var timestamps = TimestampExtender()
  private var first: Int64?
  let drops = TapDrops()

  init() {
    (packets, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(TapTransport.backlog))
  }

  func send(_ datagram: UnsafeRawBufferPointer) -> Bool {
    // RTCP (RFC 5761 section 4) is dropped: a tap has no remote end.
    guard datagram.count >= 2, !(192...223).contains(datagram[1]),
      let packet = try? RTPPacket(parsing: Array(datagram)), !packet.payload.isEmpty
    else { return true }
    let time = timestamps.extend(packet.header.timestamp)
    let origin = first ?? time
    first = origin
    let yielded = sink.yield(AudioTap.Packet(opus: Array(packet.payload), timestamp: time - origin))
    if case .dropped = yielded { drops.count.add(1, ordering: .relaxed) }
    return true
  }

  func close() { sink.finish() }
}

/// How many packets a tap has lost because its reader was slow.
package final class TapDrops: Sendable {
  package let count = Atomic<Int>(0)
}

/// The transport of a peer without a return path: reports and retransmission requests are dropped.
final class SilentTransport: DatagramTransport {
  func send(_ datagram: UnsafeRawBufferPointer) -> Bool { false }
  func close() {}
}
