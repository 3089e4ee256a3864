import Machines

extension PeerSession {
  /// Who we are on this connection and what it may carry.
  package struct Configuration: Sendable, Hashable {
    /// The SSRC that we send and report under. Random, chosen by the caller (RFC 3550 §8.1).
    package var localSSRC: UInt32
    /// The canonical name in our reports (RFC 7022).
    package var cname: String
    /// Media of the other side is taken.
    package var mayReceive: Bool
    /// Media of ours is sent.
    package var maySend: Bool
    /// How missing packets are asked for again; nil asks for nothing.
    package var nack: NackScheduler.Configuration? = .init()
    /// NACKs may stand alone (RFC 5506); else each comes with a report and our name.
    package var reducedSizeRTCP = true
    /// Send receiver reference times, the only way for a pure receiver to learn the round trip (RFC 3611 §4.4).
    package var asksForDelay = true
    /// Takes media of this SSRC alone; nil takes the first few that come. For plain RTP, where nothing else tells
    /// the sender from a stranger.
    package var onlySource: UInt32?
    /// How often reports go out.
    package var reportInterval: MonotonicTime.Span = .seconds(1)
    /// What our sender reports show as wall clock.
    package var clock = NTPClock()
    /// Packets that are kept for a subscriber who asks again.
    package var historyDepth = RetransmissionHistory.defaultDepth
    package var dtls = DTLSSession.Configuration()

    package init(localSSRC: UInt32, cname: String, mayReceive: Bool = true, maySend: Bool = false) {
      self.localSSRC = localSSRC
      self.cname = cname
      self.mayReceive = mayReceive
      self.maySend = maySend
    }

    /// What `negotiated` allows: its direction and its RTCP.
    package init(localSSRC: UInt32, cname: String, negotiated: NegotiatedSession) {
      self.init(
        localSSRC: localSSRC, cname: cname,
        mayReceive: negotiated.direction == .receiveOnly || negotiated.direction == .sendAndReceive,
        maySend: negotiated.direction == .sendOnly || negotiated.direction == .sendAndReceive)
      reducedSizeRTCP = negotiated.reducedSizeRTCP
    }
  }
}
