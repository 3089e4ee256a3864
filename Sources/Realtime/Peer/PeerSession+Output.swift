import Machines

extension PeerSession {
  /// What a session has to say; the caller takes all of it before it touches the session again.
  package enum Output: Sendable {
    /// Send this datagram on the path.
    case send([UInt8])
    /// Media may flow; the profile is nil on a path without encryption.
    case connected(SRTPProfile?)
    /// It is over before it began; nothing follows, nothing was delivered.
    case failed(PeerFailure)
    /// An authentic packet. Duplicates (possible only without encryption) are marked, not left out.
    case rtp(ReceivedPacket)
    /// An authentic, well-formed RTCP compound, decrypted, and its arrival.
    case rtcp([UInt8], MonotonicTime)
    /// The other side left: close_notify, or RTCP BYE for all its sources on a path without a handshake and nothing more
    /// for half a second. A sender that changes its SSRC says BYE too (RFC 3550 section 8.2), and goes on.
    ///
    /// BYE alone is no end under DTLS: browsers send it whenever a sender pauses.
    case closed
  }
}
