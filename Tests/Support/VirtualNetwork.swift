/// A path through a network in virtual time with the recorder's own way of asking again at its end.
///
/// At the recorder's end work its real `IncomingStreams` (with `StreamReceiver` and `NackScheduler` as configured by
/// default); at the other end a sender that answers as Chromium does: from a history of 3 s, on a tick of 10 ms, and
/// one packet not more often than once per round trip. Requests and answers are lost like everything else.
package struct VirtualNetwork: Hashable, Sendable {
  /// A datagram of the sender.
  package struct Packet: Sendable {
    /// When it leaves, in seconds.
    package var time: Double
    /// The RTP packet or its header alone, or a compound RTCP packet.
    package var content: [UInt8]
    /// Length of the whole packet in bytes.
    package var size: Int
    /// Reports are not sent again.
    package var isReport: Bool

    package init(time: Double, content: [UInt8], size: Int? = nil, isReport: Bool = false) {
      self.time = time
      self.content = content
      self.size = size ?? content.count
      self.isReport = isReport
    }
  }

  /// From the musician to the recorder.
  package var there: VirtualPath
  /// From the recorder to the musician.
  package var back: VirtualPath
  /// How long the sender keeps packets, in seconds.
  package var history: Double
  /// The sender answers at multiples of this, in seconds.
  package var tick: Double
  /// Seconds between two measurements of the round trip (RTCP's, which are lost like everything else).
  package var reportInterval: Double
  /// When nothing leaves and nothing arrives, in seconds.
  package var outages: [ClosedRange<Double>]
  package var seed: UInt64

  package init(
    there: VirtualPath = VirtualPath(), back: VirtualPath? = nil, history: Double = 3, tick: Double = 0.01,
    reportInterval: Double = 1, outages: [ClosedRange<Double>] = [], seed: UInt64 = 1
  ) {
    self.there = there
    self.back = back ?? there
    self.history = history
    self.tick = tick
    self.reportInterval = reportInterval
    self.outages = outages
    self.seed = seed
  }

  /// Sends `packets`, which must be in the order of their times, and everything that follows from them.
  package func carry(_ packets: [Packet]) -> VirtualDelivery {
    var exchange = VirtualExchange(self, packets)
    return exchange.run()
  }
}
