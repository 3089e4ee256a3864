import Machines

extension ReportScheduler {
  /// Who we are in reports and how often we send them.
  package struct Configuration: Hashable, Sendable {
    /// Our SSRC: of what we send, or of the receiver that reports.
    package var ssrc: UInt32
    /// The canonical name that binds our streams together (RFC 7022).
    package var cname: String
    package var interval: MonotonicTime.Span
    /// Between two reference times (our sender reports, receiver reference times) that the other side can answer: nobody
    /// has to believe that it held one for longer.
    package var probeInterval: MonotonicTime.Span
    /// Ticks a second of the payload that we send.
    package var clockRate: Int
    /// What sender reports show as wall clock.
    package var clock: NTPClock
    /// Send receiver reference times, where the other side agreed to answer them (`a=rtcp-xr:rcvr-rtt`, RFC 3611): the
    /// only way for a pure receiver to learn the round trip.
    package var asksForDelay: Bool

    package init(
      ssrc: UInt32, cname: String, interval: MonotonicTime.Span = .seconds(1),
      probeInterval: MonotonicTime.Span = .milliseconds(100), clockRate: Int = 48_000, clock: NTPClock = NTPClock(),
      asksForDelay: Bool = false
    ) {
      self.ssrc = ssrc
      self.cname = cname
      self.interval = interval
      self.probeInterval = probeInterval
      self.clockRate = clockRate
      self.clock = clock
      self.asksForDelay = asksForDelay
    }
  }
}
