import Machines

/// Sends sender and receiver reports once per second, and measures the round trip from the peer's (RFC 3550 §6.4).
///
/// One scheduler serves one peer: it reports on what we send under our own SSRC and on what we receive.
package struct ReportScheduler: Sendable {
  package let configuration: Configuration
  /// Round trip, smoothed over about four measurements unless it falls to half; nil before the first.
  package private(set) var roundTrip: MonotonicTime.Span?
  /// The peer's last report on our stream.
  package private(set) var remoteBlock: ReportBlock?
  /// Number of packets and payload bytes sent.
  package private(set) var sentPackets: UInt32 = 0
  package private(set) var sentBytes: UInt32 = 0
  /// When the next report is due; nil before `start` and after `goodbye`.
  private var reportDeadline: MonotonicTime?
  /// When the last reference time was sent, and the number of them.
  private var lastProbe: MonotonicTime?
  private var probes: UInt32 = 1
  private var lastSent: (timestamp: UInt32, at: MonotonicTime)?
  private var pendingDelays: [PendingDelay] = []

  /// A receiver reference time waiting for its answer.
  private struct PendingDelay {
    let ssrc: UInt32
    let middle: UInt32
    let arrival: MonotonicTime
  }

  /// Maximum number of reference times answered in one report.
  private static let delayLimit = 4
  /// A longer round trip is an error or a false claim, in ticks of 1/65536 s.
  private static let longestRoundTrip: Int32 = 10 << 16
  /// Rounding of two clocks may give a negative round trip down to this, in ticks of 1/65536 s (1 ms).
  private static let tolerance: Int32 = -65

  package init(_ configuration: Configuration) {
    self.configuration = configuration
  }

  /// Starts reporting; the first report comes after half an interval (RFC 3550 §6.2).
  package mutating func start(at now: MonotonicTime) {
    if reportDeadline == nil { reportDeadline = now + configuration.interval / 2 }
  }

  /// When the next report or probe is due; nil before `start`.
  package var deadline: MonotonicTime? {
    guard let reportDeadline, let probeDeadline else { return reportDeadline }
    return min(reportDeadline, probeDeadline)
  }

  /// After the last one three quarters of the interval to all of it, in no order. A peer reports at intervals of its own.
  /// If ours were even, it would hold every reference equally long, and a false claim of that time would never show.
  private var probeDeadline: MonotonicTime? {
    guard let interval = configuration.probeInterval, let lastProbe, canProbe else { return nil }
    // A multiplicative hash (Knuth, volume 3, section 6.4).
    let hash = (probes &* 2_654_435_761) >> 16
    // in range: a remainder of 26, and thus 75 to 100 %
    return lastProbe + interval * Int64(75 + hash % 26) / 100
  }

  /// Counts an RTP packet that we sent under our SSRC.
  package mutating func sent(timestamp: UInt32, payloadLength: Int, at now: MonotonicTime) {
    sentPackets &+= 1
    sentBytes &+= UInt32(truncatingIfNeeded: payloadLength)
    lastSent = (timestamp, now)
  }

  /// Takes the relevant parts of the peer's packet: blocks about our stream, and requests for and answers to delays.
  package mutating func received(_ packet: RTCPPacket, at now: MonotonicTime) {
    switch packet {
    case .senderReport(let report): received(report.blocks, at: now)
    case .receiverReport(let report): received(report.blocks, at: now)
    case .extendedReport(let report): received(report, at: now)
    default: break
    }
  }

  /// True if `reports(at:blocks:)` should be sent.
  package func isDue(at now: MonotonicTime) -> Bool {
    guard let reportDeadline else { return false }
    return reportDeadline <= now
  }

  /// A reference time without a report, if one is due. Senders answer the last one they received at arbitrary times,
  /// so a short interval limits how long they can claim to have held it.
  package mutating func probe(at now: MonotonicTime) -> [RTCPPacket]? {
    guard reportDeadline != nil, let probeDeadline, probeDeadline <= now else { return nil }
    lastProbe = now
    probes &+= 1
    var packets = [ownReport(at: now, blocks: []), names]
    if configuration.asksForDelay {
      let time = ExtendedReport.Block.receiverReferenceTime(configuration.clock.time(at: now))
      packets.append(.extendedReport(ExtendedReport(ssrc: configuration.ssrc, blocks: [time])))
    }
    return packets
  }

  /// True if we send something that can be answered: media, or receiver reference times.
  private var canProbe: Bool { configuration.asksForDelay || sentPackets > 0 }

  /// Returns the compound packet for now, with `blocks` about what we receive; the next is due an interval later.
  package mutating func reports(at now: MonotonicTime, blocks: [ReportBlock]) -> [RTCPPacket] {
    // Counted from now rather than from the deadline: after a stall only one report is sent.
    reportDeadline = now + configuration.interval
    lastProbe = now
    probes &+= 1
    var packets = [ownReport(at: now, blocks: blocks), names]
    let extended = extendedBlocks(at: now)
    if !extended.isEmpty {
      packets.append(.extendedReport(ExtendedReport(ssrc: configuration.ssrc, blocks: extended)))
    }
    return packets
  }

  /// Returns the compound packet with a goodbye (RFC 3550 §6.6); no further report is due.
  package mutating func goodbye(at now: MonotonicTime, reason: String? = nil) -> [RTCPPacket] {
    reportDeadline = nil
    let goodbye = Goodbye(sources: [configuration.ssrc], reason: reason)
    return [ownReport(at: now, blocks: []), names, .goodbye(goodbye)]
  }

  private var names: RTCPPacket {
    .sourceDescription(SourceDescription(ssrc: configuration.ssrc, cname: configuration.cname))
  }

  private func ownReport(at now: MonotonicTime, blocks: [ReportBlock]) -> RTCPPacket {
    // RFC 3550 §6.4: a peer that sent nothing for two intervals becomes a receiver again.
    guard let lastSent, now - lastSent.at < configuration.interval * 2 else {
      return .receiverReport(ReceiverReport(ssrc: configuration.ssrc, blocks: blocks))
    }
    let elapsed = (now - lastSent.at).seconds * Double(configuration.clockRate)
    let timestamp = lastSent.timestamp &+ UInt32(min(max(elapsed, 0), 0x7FFF_FFFF))
    return .senderReport(
      SenderReport(
        ssrc: configuration.ssrc, time: configuration.clock.time(at: now), timestamp: timestamp,
        packetCount: sentPackets, byteCount: sentBytes, blocks: blocks))
  }

  private mutating func extendedBlocks(at now: MonotonicTime) -> [ExtendedReport.Block] {
    var blocks: [ExtendedReport.Block] = []
    if configuration.asksForDelay { blocks.append(.receiverReferenceTime(configuration.clock.time(at: now))) }
    if !pendingDelays.isEmpty {
      let delays = pendingDelays.map {
        ExtendedReport.Delay(ssrc: $0.ssrc, lastReceiverReport: $0.middle, delay: NTPClock.ticks(now - $0.arrival))
      }
      blocks.append(.delaySinceLastReceiverReport(delays))
      pendingDelays.removeAll(keepingCapacity: true)
    }
    return blocks
  }

  private mutating func received(_ blocks: [ReportBlock], at now: MonotonicTime) {
    for block in blocks where block.ssrc == configuration.ssrc {
      remoteBlock = block
      measure(sent: block.lastSenderReport, held: block.delaySinceLastSenderReport, at: now)
    }
  }

  private mutating func received(_ report: ExtendedReport, at now: MonotonicTime) {
    for block in report.blocks {
      switch block {
      case .receiverReferenceTime(let time):
        pendingDelays.removeAll { $0.ssrc == report.ssrc }
        if pendingDelays.count == Self.delayLimit { pendingDelays.removeFirst() }
        pendingDelays.append(PendingDelay(ssrc: report.ssrc, middle: time.middle, arrival: now))
      case .delaySinceLastReceiverReport(let delays):
        for delay in delays where delay.ssrc == configuration.ssrc {
          measure(sent: delay.lastReceiverReport, held: delay.delay, at: now)
        }
      case .other: break
      }
    }
  }

  /// RFC 3550 §6.4.1: now minus the sending time minus the time for which the peer held it.
  private mutating func measure(sent: UInt32, held: UInt32, at now: MonotonicTime) {
    guard sent != 0 else { return }
    let ticks = Int32(bitPattern: configuration.clock.time(at: now).middle &- sent &- held)
    guard ticks >= Self.tolerance, ticks <= Self.longestRoundTrip else { return }
    add(roundTrip: NTPClock.span(ticks: UInt32(max(ticks, 0))))
  }

  /// Adds a round trip, also one that was measured without reports.
  package mutating func add(roundTrip sample: MonotonicTime.Span) {
    // A queue or a standstill ends at once, and requests are repeated once per round trip: what is long past must not
    // delay them.
    if let roundTrip, sample > roundTrip / 2 {
      self.roundTrip = roundTrip + (sample - roundTrip) / 4
    } else {
      roundTrip = sample
    }
  }
}

extension ReportScheduler {
  /// Our identity in reports, and their interval.
  package struct Configuration: Hashable, Sendable {
    /// Our SSRC: that of our stream, or of the reporting receiver.
    package var ssrc: UInt32
    /// The canonical name that groups our streams (RFC 7022).
    package var cname: String
    package var interval: MonotonicTime.Span
    /// Longest interval between two reference times (sender reports or receiver reference times), of which the shortest
    /// is three quarters; the peer cannot credibly claim to have held one for longer. Nil if they come with reports only.
    package var probeInterval: MonotonicTime.Span?
    /// Clock rate of our payload in ticks per second.
    package var clockRate: Int
    /// The wall clock in sender reports.
    package var clock: NTPClock
    /// True to send receiver reference times, if the peer agreed to answer them (`a=rtcp-xr:rcvr-rtt`, RFC 3611): the
    /// only way for a pure receiver to measure the round trip.
    package var asksForDelay: Bool

    package init(
      ssrc: UInt32, cname: String, interval: MonotonicTime.Span = .seconds(1),
      probeInterval: MonotonicTime.Span? = .milliseconds(100), clockRate: Int = 48_000, clock: NTPClock = NTPClock(),
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
