import Machines

/// The state of one incoming SSRC: extended numbers, duplicates, holes, statistics, report block.
package struct StreamReceiver: Sendable {
  package let ssrc: UInt32
  package private(set) var statistics: ReceiveStatistics
  package private(set) var nacks: NackScheduler
  /// When the last packet arrived; nil before the first.
  package private(set) var lastArrival: MonotonicTime?
  /// The sender's last report and its arrival.
  package private(set) var lastSenderReport: (report: SenderReport, arrival: MonotonicTime)?
  /// True if the sender said goodbye and no packet has arrived since.
  package private(set) var hasLeft = false

  private var sequences = SequenceExtender()
  private var timestamps = TimestampExtender()
  /// 1024 packets: twice the limit for reordering in `SequenceExtender`.
  private var window = SequenceWindow<16>()
  private var packetsAtReport: Int64 = 0

  /// Creates a receiver for `ssrc`; a nil `nack` disables requests, for senders without a return path.
  package init(ssrc: UInt32, clockRate: Int = 48_000, nack: NackScheduler.Configuration? = .init()) {
    self.ssrc = ssrc
    statistics = ReceiveStatistics(clockRate: clockRate)
    nacks = NackScheduler(nack ?? .init())
    asksAgain = nack != nil
  }

  private let asksAgain: Bool

  /// Number of restarts of the sender, detected by large jumps of the sequence number.
  package var segment: Int { sequences.segment }

  /// The round trip, the minimum interval between requests for one packet.
  package var roundTrip: MonotonicTime.Span {
    get { nacks.roundTrip }
    set { nacks.roundTrip = newValue }
  }

  /// When to call `requests(at:)` next.
  package var deadline: MonotonicTime? { nacks.deadline }

  /// Takes a packet of this stream at `now`; nil if it belongs to another.
  /// - Parameter arrival: its arrival time, if known to be earlier; holes are requested from `now` on.
  package mutating func handle(
    _ packet: RTPPacket, at now: MonotonicTime, arrival: MonotonicTime? = nil
  ) -> ReceivedPacket? {
    packet.header.ssrc == ssrc ? take(packet, at: now, arrival: arrival ?? now) : nil
  }

  /// As `handle(_:at:arrival:)`, for a packet known to belong to this stream.
  mutating func take(_ packet: RTPPacket, at now: MonotonicTime, arrival: MonotonicTime) -> ReceivedPacket {
    let earlier = sequences.segment
    let number = sequences.extend(packet.header.sequenceNumber)
    let startsSegment = sequences.segment != earlier
    let timestamp = timestamps.extend(packet.header.timestamp)
    if startsSegment { timestamps.restart(at: timestamp) }
    let isDuplicate = !window.insert(number)
    let isRepair = asksAgain && !isDuplicate && nacks.received(number, at: now)
    let received = ReceivedPacket(
      packet: packet, extendedSequence: number, extendedTimestamp: timestamp, arrival: arrival,
      isDuplicate: isDuplicate, isRepair: isRepair, segment: sequences.segment)
    statistics.received(received, startsSegment: startsSegment)
    lastArrival = arrival
    hasLeft = false
    return received
  }

  /// Takes a sender report; the next report block answers it.
  package mutating func handle(_ report: SenderReport, at arrival: MonotonicTime) {
    guard report.ssrc == ssrc else { return }
    lastSenderReport = (report, arrival)
  }

  /// Records that the sender said goodbye.
  package mutating func leave() {
    hasLeft = true
  }

  /// Requests packets that may have been lost at the end, because the sender is leaving.
  mutating func probe(at now: MonotonicTime) {
    if asksAgain { nacks.probe(at: now) }
  }

  /// Stops accepting new packets.
  mutating func seal() { nacks.seal() }

  /// Extends a timestamp of this stream, for sender reports.
  package func extended(_ timestamp: UInt32) -> Int64 { timestamps.peek(timestamp) }

  /// Returns the sequence numbers to request now.
  package mutating func requests(at now: MonotonicTime) -> [UInt16] { nacks.due(at: now) }

  /// True if packets have arrived since the last report block (RFC 3550 §6.4: only such sources are reported).
  var wasHeardSinceReport: Bool { statistics.packets != packetsAtReport }

  /// Returns the block for a report sent at `now`, and starts a new reporting interval.
  package mutating func reportBlock(at now: MonotonicTime) -> ReportBlock {
    packetsAtReport = statistics.packets
    var block = statistics.reportBlock(ssrc: ssrc)
    if let lastSenderReport {
      block.lastSenderReport = lastSenderReport.report.time.middle
      block.delaySinceLastSenderReport = NTPClock.ticks(now - lastSenderReport.arrival)
    }
    return block
  }
}
