import Signaling

/// What a member hears within this process: for whatever carries audio by other means than RTP.
package struct AudioTap: Sendable {
  /// One Opus packet.
  package struct Packet: Sendable {
    package var opus: [UInt8]
    /// Time of its first sample, in samples at 48 kHz, from 0 on.
    package var timestamp: Int64
  }

  let label: PeerLabel
  /// Packets as they come; ends with the tap. Whoever does not read loses the oldest.
  package let packets: AsyncStream<Packet>
}
