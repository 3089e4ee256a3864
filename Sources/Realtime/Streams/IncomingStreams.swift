import Machines

/// The incoming streams of one peer. A musician sends one at a time, but may change its SSRC as often as they like: the
/// newest few are kept, and of the others what they counted.
package struct IncomingStreams: Sendable {
  /// Streams that are kept: with a change every 250 ms, those whose missing packets may still come.
  package static let limit = 16

  package private(set) var streams: [StreamReceiver] = []
  /// What the streams counted that are not kept any more.
  private(set) var retired = StreamTotals()
  /// How often a peer changed or added an SSRC after its first.
  package private(set) var sourceChanges = 0
  /// The round trip for all streams of the peer.
  package var roundTrip: MonotonicTime.Span = .zero {
    didSet { for index in streams.indices { streams[index].roundTrip = roundTrip } }
  }

  private let clockRate: Int
  private let nack: NackScheduler.Configuration?

  /// `clockRate` in ticks a second; `nack` nil asks for nothing again.
  package init(clockRate: Int = 48_000, nack: NackScheduler.Configuration? = .init()) {
    self.clockRate = clockRate
    self.nack = nack
    streams.reserveCapacity(Self.limit)
  }

  /// When `nacks(at:sender:)` wants to be asked next.
  package var deadline: MonotonicTime? {
    var earliest: MonotonicTime?
    for index in streams.indices {
      guard let deadline = streams[index].deadline else { continue }
      earliest = min(earliest ?? deadline, deadline)
    }
    return earliest
  }

  /// The stream that was heard last said goodbye: those before it may have been left without a word.
  package var hasLeft: Bool { newest.map { streams[$0].hasLeft } ?? true }

  /// Missing packets may still come.
  package var isHoping: Bool { streams.contains { $0.nacks.isHoping } }

  /// The sender leaves: its last packets are asked for unseen.
  package mutating func probe(at now: MonotonicTime) {
    if let newest { streams[newest].probe(at: now) }
  }

  /// What comes from now on is not wanted: only what is missing now is still asked for.
  package mutating func seal() {
    for index in streams.indices { streams[index].seal() }
  }

  /// The receiver of `ssrc`, where it was heard.
  package func stream(_ ssrc: UInt32) -> StreamReceiver? {
    guard let index = index(of: ssrc) else { return nil }
    return streams[index]
  }

  /// Takes a packet at `now`.
  /// - Parameter arrival: when it came, where that is known to be earlier.
  package mutating func handle(
    _ packet: RTPPacket, at now: MonotonicTime, arrival: MonotonicTime? = nil
  ) -> ReceivedPacket {
    let index = index(of: packet.header.ssrc) ?? admit(packet.header.ssrc)
    return streams[index].take(packet, at: now, arrival: arrival ?? now)
  }

  /// Takes what concerns incoming streams: sender reports and goodbyes. Other packets are no matter here.
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

  /// The requests that are due, one for each stream that misses something; `sender` is our own SSRC.
  package mutating func nacks(at now: MonotonicTime, sender: UInt32) -> [GenericNack] {
    var nacks: [GenericNack] = []
    for index in streams.indices {
      let numbers = streams[index].requests(at: now)
      if numbers.isEmpty { continue }
      nacks.append(GenericNack(sender: sender, media: streams[index].ssrc, sequenceNumbers: numbers))
    }
    return nacks
  }

  /// A block for each stream that was heard since the last report; begins a new reporting interval.
  package mutating func reportBlocks(at now: MonotonicTime) -> [ReportBlock] {
    var blocks: [ReportBlock] = []
    for index in streams.indices where streams[index].wasHeardSinceReport {
      blocks.append(streams[index].reportBlock(at: now))
    }
    return blocks
  }

  /// The stream that was heard last.
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

  /// Makes place for a new stream and answers where it is.
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

  /// A stream that said goodbye goes first, then one that waits for nothing, then the one that was silent for longest.
  private func isOlder(_ one: StreamReceiver, _ other: StreamReceiver) -> Bool {
    if one.hasLeft != other.hasLeft { return one.hasLeft }
    let (waits, otherWaits) = (one.nacks.openHoles > 0, other.nacks.openHoles > 0)
    if waits != otherWaits { return otherWaits }
    guard let last = one.lastArrival, let otherLast = other.lastArrival else { return one.lastArrival == nil }
    return last < otherLast
  }
}

/// What several streams of one peer counted together.
struct StreamTotals: Sendable, Hashable {
  private(set) var packets: Int64 = 0
  private(set) var payloadBytes: Int64 = 0
  private(set) var lost: Int64 = 0
  private(set) var repairs: Int64 = 0
  private(set) var duplicates: Int64 = 0
  private(set) var requests = 0
  /// How often their senders began their numbers anew.
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
