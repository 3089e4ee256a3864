/// What a datagram on a peer's path is, told by its first two bytes (RFC 7983 §7, RFC 5761 §4).
enum DatagramKind: Hashable {
  case dtls, rtp, rtcp
  /// STUN ends in the ICE agent, TURN channels and ZRTP are not ours; and what is too short to be anything.
  case other

  init(_ datagram: UnsafeRawBufferPointer) {
    guard let first = datagram.first else {
      self = .other
      return
    }
    switch first {
    case 20...63: self = .dtls
    case 128...191:
      // RFC 5761 §4: RTCP packet types lie where RTP has payload types 64...95 with the marker bit.
      guard datagram.count >= 2 else { self = .other; return }
      self = (192...223).contains(datagram[1]) ? .rtcp : .rtp
    default: self = .other
    }
  }
}
