import Machines
import Realtime

/// The two ends of a virtual network while packets go through it.
struct VirtualExchange {
  /// IPv4 and UDP heads and the tag of SRTP with AES-GCM, in bytes.
  private static let mediaOverhead = 20 + 8 + 16
  /// The same with the index that SRTCP adds.
  private static let reportOverhead = mediaOverhead + 4
  /// A compound report on the wire.
  private static let reportSize = 64 + reportOverhead
  /// Any instant does, as long as it is not 0.
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

  private enum Event {
    case arrival(packet: Int, isRepair: Bool)
    case request([GenericNack])
    case answer(packet: Int)
    case report(since: Double)
    case measurement(VirtualDelivery.Exchange)
  }

  private let network: VirtualNetwork
  private let packets: [VirtualNetwork.Packet]
  private var there: VirtualTransit
  private var back: VirtualTransit
  private var events = VirtualSchedule<Event>()
  private var streams = IncomingStreams()
  private var result = VirtualDelivery()
  /// The sender's packets by source and number, and when each was sent again last.
  private var sent: [UInt64: Int] = [:]
  private var repeated: [Double]
  private var hasArrived: [Bool]
  /// The sender's estimate, in seconds.
  private var senderRoundTrip: Double?
  private var recorderRoundTrip: Double?

  init(_ network: VirtualNetwork, _ packets: [VirtualNetwork.Packet]) {
    self.network = network
    self.packets = packets
    var random = SeededRandom(network.seed)
    there = VirtualTransit(network.there, outages: network.outages, seed: random.next())
    back = VirtualTransit(network.back, outages: network.outages, seed: random.next())
    repeated = [Double](repeating: -.infinity, count: packets.count)
    hasArrived = [Bool](repeating: false, count: packets.count)
    sent.reserveCapacity(min(packets.count, 65_536))
    result.arrivals.reserveCapacity(packets.count)
  }

  mutating func run() -> VirtualDelivery {
    var next = 0
    var nextReport = packets.first.map { $0.time + network.reportInterval / 2 } ?? .infinity
    while true {
      let sending = next < packets.count ? packets[next].time : .infinity
      let reporting = next < packets.count ? nextReport : .infinity
      let asking = streams.deadline.map { ($0 - VirtualExchange.start).seconds } ?? .infinity
      let event = events.earliest ?? .infinity
      let now = min(sending, reporting, asking, event)
      guard now < .infinity else { break }
      if now == event, let due = events.removeFirst() {
        handle(due, at: now)
      } else if now == sending {
        send(next, at: now)
        next += 1
      } else if now == reporting {
        measure(at: now)
        nextReport += network.reportInterval
      } else {
        ask(at: now)
      }
    }
    result.missing = packets.indices.filter { !hasArrived[$0] && !packets[$0].isReport }
    return result
  }

  private mutating func handle(_ event: Event, at now: Double) {
    switch event {
    case .arrival(let index, let isRepair):
      hasArrived[index] = true
      result.arrivals.append(.init(packet: index, time: now, isRepair: isRepair))
      guard !packets[index].isReport, let packet = try? RTPPacket(parsing: packets[index].content) else { return }
      _ = streams.handle(packet, at: VirtualExchange.monotonic(now))
    case .request(let nacks): for nack in nacks { answer(nack, at: now) }
    case .answer(let index):
      let size = packets[index].size + VirtualExchange.mediaOverhead
      result.counts.retransmissions += 1
      result.counts.retransmittedBytes += size
      launch(index, size: size, isRepair: true, at: now)
    case .report(let begin):
      if let arrival = there.send(VirtualExchange.reportSize, at: now).first {
        events.add(.measurement(.init(sent: begin, reached: now, returned: arrival)), at: arrival)
      }
    case .measurement(let exchange):
      let value = exchange.roundTrip
      // As the service smooths it to space its requests (`ReportScheduler`).
      let smoothed = recorderRoundTrip.map { $0 + (value - $0) / 4 } ?? value
      recorderRoundTrip = smoothed
      senderRoundTrip = senderRoundTrip.map { $0 + (value - $0) / 8 } ?? value
      streams.roundTrip = .nanoseconds(Int64(smoothed * 1e9))
      result.exchanges.append(exchange)
      result.smoothed.append(smoothed)
    }
  }

  private mutating func send(_ index: Int, at now: Double) {
    let packet = packets[index]
    let size = packet.size + (packet.isReport ? VirtualExchange.reportOverhead : VirtualExchange.mediaOverhead)
    if !packet.isReport {
      result.counts.media += 1
      result.counts.mediaBytes += size
      if let header = try? RTPHeader(parsing: packet.content.span) {
        sent[VirtualExchange.key(header.ssrc, header.sequenceNumber)] = index
      }
    }
    launch(index, size: size, isRepair: false, at: now)
  }

  private mutating func launch(_ index: Int, size: Int, isRepair: Bool, at now: Double) {
    let (first, second) = there.send(size, at: now)
    if let first { events.add(.arrival(packet: index, isRepair: isRepair), at: first) }
    if let second { events.add(.arrival(packet: index, isRepair: isRepair), at: second) }
  }

  private mutating func ask(at now: Double) {
    // The deadline in nanoseconds may lie a rounding behind its seconds.
    let nacks = streams.nacks(at: VirtualExchange.monotonic(now) + .nanoseconds(1), sender: 1)
    guard !nacks.isEmpty else { return }
    let size = RTCPCompound.write(nacks.map { .nack($0) }).count + VirtualExchange.reportOverhead
    result.counts.nackPackets += 1
    result.counts.nackBytes += size
    if let arrival = back.send(size, at: now).first { events.add(.request(nacks), at: arrival) }
  }

  private mutating func answer(_ nack: GenericNack, at now: Double) {
    for number in nack.sequenceNumbers {
      guard let index = sent[VirtualExchange.key(nack.media, number)], now - packets[index].time <= network.history,
        now - repeated[index] >= senderRoundTrip ?? 0
      else {
        result.counts.refusedRequests += 1
        continue
      }
      let leaves = (now / network.tick).rounded(.up) * network.tick
      repeated[index] = leaves
      events.add(.answer(packet: index), at: leaves)
    }
  }

  /// A report to the sender, which its own report answers: both must arrive.
  private mutating func measure(at now: Double) {
    if let arrival = back.send(VirtualExchange.reportSize, at: now).first {
      events.add(.report(since: now), at: arrival)
    }
  }

  private static func key(_ source: UInt32, _ number: UInt16) -> UInt64 { UInt64(source) << 16 | UInt64(number) }

  private static func monotonic(_ seconds: Double) -> MonotonicTime { start + .nanoseconds(Int64(seconds * 1e9)) }
}
