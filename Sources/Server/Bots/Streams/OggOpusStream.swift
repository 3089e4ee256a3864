import Recording
import Signaling

/// Opus in Ogg (RFC 7845), as its bytes come: packets with their times.
struct OggOpusStream {
  private enum Awaited { case head, comments, sound }

  private var ogg = OggPackets()
  private var awaited = Awaited.head
  /// Where the next packet begins, in samples at 48 kHz.
  private var next: Int64 = 0

  /// True once there was sound.
  var hasSound: Bool { next > 0 }

  /// The pieces that end in `bytes`, with timestamps in milliseconds.
  /// - Throws: `GuestFault` `.nonsense`.
  mutating func add(_ bytes: some Sequence<UInt8>) throws(GuestFault) -> [(AudioTag, UInt32)] {
    var tags: [(AudioTag, UInt32)] = []
    let packets: [OggPackets.Packet]
    do throws(OggPackets.Nonsense) {
      packets = try ogg.add(bytes)
    } catch {
      throw GuestFault(.nonsense, error.description)
    }
    for packet in packets {
      switch awaited {
      case .head:
        guard OpusHead(packet.bytes) != nil else { throw GuestFault(.nonsense, "the sound did not come as Opus") }
        tags.append((AudioTag(.opus, .header(packet.bytes)), 0))
        awaited = .comments
      case .comments: awaited = .sound
      case .sound:
        guard let duration = OpusPacket(packet.bytes.span)?.duration else { continue }
        if let end = packet.granule { next = max(0, end &- Int64(duration)) }
        tags.append((AudioTag(.opus, .frame(packet.bytes)), UInt32(truncatingIfNeeded: next / 48)))
        next &+= Int64(duration)
      }
    }
    return tags
  }
}
