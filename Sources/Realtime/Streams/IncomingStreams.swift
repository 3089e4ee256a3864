import Machines

/// The incoming streams of one peer: few, because a musician sends one and may restart it a few times.
package struct IncomingStreams: Sendable {
  /// Streams of one peer at once.
  package static let limit = 4
  /// A stream that was silent for so long, or said goodbye, makes room for a new one.
  package static let idleLimit = MonotonicTime.Span.seconds(30)

  package private(set) var streams: [StreamReceiver] = []
  /// Packets of an SSRC for which there was no room: a peer that counts its SSRC up.
  package private(set) var refusedPackets = 0
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

  /// The receiver of `ssrc`, where it was heard.
  package func stream(_ ssrc: UInt32) -> StreamReceiver? {
    guard let index = index(of: ssrc) else { return nil }
    return streams[index]
  }

  /// Takes a packet at `now`; nil where the peer has too many sources already, which is counted.
  /// - Parameter arrival: when it came, where that is known to be earlier.
  package mutating func handle(
    _ packet: RTPPacket, at now: MonotonicTime, arrival: MonotonicTime? = nil
  ) -> ReceivedPacket? {
    let arrival = arrival ?? now
    guard let index = index(of: packet.header.ssrc) ?? admit(packet.header.ssrc, at: arrival) else {
      refusedPackets &+= 1
      return nil
    }
    return streams[index].handle(packet, at: now, arrival: arrival)
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

  private func index(of ssrc: UInt32) -> Int? {
    for index in streams.indices where streams[index].ssrc == ssrc { return index }
    return nil
  }

  private mutating func admit(_ ssrc: UInt32, at now: MonotonicTime) -> Int? {
    var stream = StreamReceiver(ssrc: ssrc, clockRate: clockRate, nack: nack)
    stream.roundTrip = roundTrip
    if streams.count < Self.limit {
      if !streams.isEmpty { sourceChanges &+= 1 }
      streams.append(stream)
      return streams.count &- 1
    }
    for index in streams.indices {
      let silence = now - (streams[index].lastArrival ?? now)
      guard streams[index].hasLeft || silence >= Self.idleLimit else { continue }
      sourceChanges &+= 1
      streams[index] = stream
      return index
    }
    return nil
  }
}
