import Machines

extension PeerSession {
  /// Our identity on this connection, and its permitted media.
  package struct Configuration: Sendable, Hashable {
    /// The SSRC of our packets and reports; random, chosen by the caller (RFC 3550 §8.1).
    package var localSSRC: UInt32
    /// The canonical name in our reports (RFC 7022).
    package var cname: String
    /// True if media from the peer is accepted.
    package var mayReceive: Bool
    /// True if we send media.
    package var maySend: Bool
    /// Settings for requesting retransmissions; nil disables them.
    package var nack: NackScheduler.Configuration? = .init()
    /// True if NACKs may be sent alone (RFC 5506); otherwise each comes with a report and our CNAME.
    package var reducedSizeRTCP = true
    /// True to send receiver reference times, the only way for a pure receiver to measure the round trip (RFC 3611
    /// §4.4).
    package var asksForDelay = true
    /// Longest interval between two reference times, which limit how long the peer can claim to have held one; nil if they
    /// come with reports only.
    package var probeInterval: MonotonicTime.Span? = .milliseconds(100)
    /// If set, only media with this SSRC is accepted; nil accepts the first few. For plain RTP, where only the SSRC
    /// distinguishes the sender from a stranger.
    package var onlySource: UInt32?
    /// Interval between reports.
    package var reportInterval: MonotonicTime.Span = .seconds(1)
    /// The wall clock of our sender reports.
    package var clock = NTPClock()
    /// Most packets kept for retransmission to a subscriber.
    package var historyDepth = RetransmissionHistory.defaultDepth
    package var dtls = DTLSSession.Configuration()

    package init(localSSRC: UInt32, cname: String, mayReceive: Bool = true, maySend: Bool = false) {
      self.localSSRC = localSSRC
      self.cname = cname
      self.mayReceive = mayReceive
      self.maySend = maySend
    }

    /// Creates the configuration permitted by `negotiated`: its direction and its RTCP.
    package init(localSSRC: UInt32, cname: String, negotiated: NegotiatedSession) {
      self.init(
        localSSRC: localSSRC, cname: cname,
        mayReceive: negotiated.direction == .receiveOnly || negotiated.direction == .sendAndReceive,
        maySend: negotiated.direction == .sendOnly || negotiated.direction == .sendAndReceive)
      reducedSizeRTCP = negotiated.reducedSizeRTCP
    }
  }
}
