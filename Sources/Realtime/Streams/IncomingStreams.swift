import Machines

/// The incoming streams of one peer. A musician sends one at a time but may change its SSRC arbitrarily often, so
/// only the newest few are kept, and the counts of the others.
package struct IncomingStreams: Sendable {
  /// Maximum number of streams: with a change every 250 ms, those whose missing packets may still arrive.
  package static let limit = 16

  package private(set) var streams: [StreamReceiver] = []
  /// The total counts of streams no longer kept.
  private(set) var retired = StreamTotals()
  /// How often the peer changed or added an SSRC after its first.
  package private(set) var sourceChanges = 0
  /// The peer's round trip, for all its streams.
  package var roundTrip: MonotonicTime.Span = .zero {
    didSet { for index in streams.indices { streams[index].roundTrip = roundTrip } }
  }

  private let clockRate: Int
  private let nack: NackScheduler.Configuration?

  /// Creates an empty set; `clockRate` is in ticks per second, and a nil `nack` disables requests.
  package init(clockRate: Int = 48_000, nack: NackScheduler.Configuration? = .init()) {
    self.clockRate = clockRate
    self.nack = nack
  }

  /// When to call `nacks(at:sender:)` next.
  package var deadline: MonotonicTime? {
    var earliest: MonotonicTime?
    for index in streams.indices {
      guard let deadline = streams[index].deadline else { continue }
      earliest = min(earliest ?? deadline, deadline)
    }
    return earliest
  }

  /// True if the most recent stream said goodbye: earlier ones may have ended without one.
  package var hasLeft: Bool { newest.map { streams[$0].hasLeft } ?? true }

  /// True if missing packets may still arrive.
  package var isHoping: Bool { streams.contains { $0.nacks.isHoping } }

  /// Requests packets that may have been lost at the end, because the sender is leaving.
  package mutating func probe(at now: MonotonicTime) {
    if let newest { streams[newest].probe(at: now) }
  }

  /// Stops accepting new packets: only those missing now are still requested.
  package mutating func seal() {
    for index in streams.indices { streams[index].seal() }
  }

  /// The receiver of `ssrc`, if it has been heard.
  package func stream(_ ssrc: UInt32) -> StreamReceiver? {
    guard let index = index(of: ssrc) else { return nil }
    return streams[index]
  }

  /// Takes a packet at `now`.
  /// - Parameter arrival: its arrival time, if known to be earlier.
  package mutating func handle(
    _ packet: RTPPacket, at now: MonotonicTime, arrival: MonotonicTime? = nil
  ) -> ReceivedPacket {
    let index = index(of: packet.header.ssrc) ?? admit(packet.header.ssrc)
    return streams[index].take(packet, at: now, arrival: arrival ?? now)
  }

  /// Takes sender reports and goodbyes; ignores other packets.
  package mutating func handle(_ packet: RTCPPacket, at arrival: MonotonicTime) {
    switch packet {
    case .senderReport(let report):
      if let index = index(of: report.ssrc) { streams[index].handle(report, at: arrival) }
    case .goodbye(let goodbye):
      for source in goodbye.sources {
        if let index = index(of: source) { streams[index].leave() }
      }
    default: break
    }
  }

  /// The requests due now, one per stream with missing packets; `sender` is our own SSRC.
  package mutating func nacks(at now: MonotonicTime, sender: UInt32) -> [GenericNack] {
    var nacks: [GenericNack] = []
    for index in streams.indices {
      let numbers = streams[index].requests(at: now)
      if numbers.isEmpty { continue }
      nacks.append(GenericNack(sender: sender, media: streams[index].ssrc, sequenceNumbers: numbers))
    }
    return nacks
  }

  /// Returns a block for each stream heard since the last report, and starts a new reporting interval.
  package mutating func reportBlocks(at now: MonotonicTime) -> [ReportBlock] {
    var blocks: [ReportBlock] = []
    for index in streams.indices where streams[index].wasHeardSinceReport {
      blocks.append(streams[index].reportBlock(at: now))
    }
    return blocks
  }

  /// Index of the most recent stream.
  private var newest: Int? {
    streams.indices.max { one, other in
      guard let last = streams[one].lastArrival, let otherLast = streams[other].lastArrival else {
        return streams[one].lastArrival == nil
      }
      return last < otherLast
    }
  }

  private func index(of ssrc: UInt32) -> Int? {
    streams.lastIndex { $0.ssrc == ssrc }
  }

  /// Makes room for a new stream and returns its index.
  private mutating func admit(_ ssrc: UInt32) -> Int {
    if !streams.isEmpty { sourceChanges &+= 1 }
    if streams.count == Self.limit, let oldest = streams.indices.min(by: { isOlder(streams[$0], streams[$1]) }) {
      retired.add(streams.remove(at: oldest))
    }
    var stream = StreamReceiver(ssrc: ssrc, clockRate: clockRate, nack: nack)
    stream.roundTrip = roundTrip
    streams.append(stream)
    return streams.count &- 1
  }

  /// Eviction order: streams that said goodbye, then those waiting for nothing, then those silent for longest.
  private func isOlder(_ one: StreamReceiver, _ other: StreamReceiver) -> Bool {
    if one.hasLeft != other.hasLeft { return one.hasLeft }
    let (waits, otherWaits) = (one.nacks.openHoles > 0, other.nacks.openHoles > 0)
    if waits != otherWaits { return otherWaits }
    guard let last = one.lastArrival, let otherLast = other.lastArrival else { return one.lastArrival == nil }
    return last < otherLast
  }
}

/// The combined counts of several streams of one peer.
struct StreamTotals: Sendable, Hashable {
  private(set) var packets: Int64 = 0
  private(set) var payloadBytes: Int64 = 0
  private(set) var lost: Int64 = 0
  private(set) var repairs: Int64 = 0
  private(set) var duplicates: Int64 = 0
  private(set) var requests = 0
  /// Number of sequence restarts.
  private(set) var restarts = 0

  mutating func add(_ stream: StreamReceiver) {
    packets &+= stream.statistics.packets
    payloadBytes &+= stream.statistics.payloadBytes
    lost &+= stream.statistics.lost
    repairs &+= stream.statistics.repairs
    duplicates &+= stream.statistics.duplicates
    requests &+= stream.nacks.counts.requests
    restarts &+= stream.segment
  }
}
