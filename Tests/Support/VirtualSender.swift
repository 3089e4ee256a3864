import Machines
import Realtime
import Recording

/// The sending of one virtual player: walks through its time packet by packet.
struct VirtualSender {
  private var player: VirtualPlayer
  private let track: Int
  private let zero: MonotonicTime
  private var link: VirtualLink
  private var source: UInt32
  private var sequence: UInt16
  private var timestamp: UInt32
  private var previous: [UInt8]?
  private var result: [JournalFrame] = []
  private var pendingEvents: [VirtualPlayer.Event]
  private var wasDiscontinuous = false
  /// The last capture time that was sent, and the RTP time of its packet.
  private var told: (captured: Double, timestamp: UInt32)?
  /// What waits to go through the network.
  private var packets: [VirtualNetwork.Packet] = []

  init(player: VirtualPlayer, track: Int, zero: MonotonicTime) {
    self.player = player
    self.track = track
    self.zero = zero
    link = player.link
    source = player.source
    sequence = player.firstSequence
    timestamp = player.firstTimestamp
    pendingEvents = player.events
  }

  /// Samples per second of true time.
  private var rate: Double { 48_000 * (1 + player.drift * 1e-6) }

  mutating func frames() throws -> [JournalFrame] {
    var encoder = try OpusEncoder(player.settings)
    var time = player.start
    var nextReport = player.start + 0.5
    var encoded: [UInt8] = []
    while time < player.end {
      var isSilent = false
      var isMuted = false
      for (index, event) in pendingEvents.enumerated().reversed() {
        switch event {
        case .stall(let at, let length) where time >= at:
          time += length
          pendingEvents.remove(at: index)
        case .silence(let at, let length) where time >= at && time < at + length:
          isSilent = true
        case .outage(let at, let length) where time >= at:
          result.append(.path(track: track, at: monotonic(at), isUp: false))
          result.append(.path(track: track, at: monotonic(at + length), isUp: true))
          pendingEvents.remove(at: index)
        case .reconnect(let at) where time >= at:
          (source, sequence, timestamp) = (source &+ 77, sequence &+ 9_999, timestamp &+ 123_456_789)
          encoder = try OpusEncoder(player.settings)
          previous = nil
          pendingEvents.remove(at: index)
        case .numberJump(let at, let count) where time >= at:
          sequence &+= count
          pendingEvents.remove(at: index)
        case .timeJump(let at, let samples) where time >= at:
          timestamp &+= samples
          pendingEvents.remove(at: index)
        case .device(let at, let drift) where time >= at:
          player.drift = drift
          pendingEvents.remove(at: index)
        case .packetLength(let at, let samples) where time >= at:
          player.packet = samples
          pendingEvents.remove(at: index)
        case .channels(let at, let count) where time >= at:
          player.settings.channels = count
          encoder = try OpusEncoder(player.settings)
          pendingEvents.remove(at: index)
        case .clockJump(let at, let seconds) where time >= at:
          player.clockOffset += seconds
          pendingEvents.remove(at: index)
        case .mute(let at, let length) where time >= at && time < at + length:
          isMuted = true
        default: break
        }
      }
      if !isSilent {
        let channels = player.settings.channels
        var samples = [Float](repeating: 0, count: player.packet * channels)
        for frame in 0..<player.packet where !isMuted {
          let instant = time + Double(frame) / rate
          for channel in 0..<channels {
            samples[frame * channels + channel] = player.signal.sample(instant, channel: channel)
          }
        }
        encoded = try encoder.encode(samples)
      }
      let sent = time + Double(player.packet) / rate
      // An encoder with DTX says by one or two bytes that a packet need not be sent; the first of them is.
      let isUnsent = isSilent || (player.settings.isDiscontinuous && encoded.count <= 2 && wasDiscontinuous)
      wasDiscontinuous = player.settings.isDiscontinuous && encoded.count <= 2
      if !isUnsent { send(encoded, captured: time, at: sent) }
      if sent >= nextReport {
        nextReport += 1
        report(at: sent)
      }
      time = sent
      timestamp &+= UInt32(player.packet)
    }
    deliver()
    for event in player.events {
      switch event {
      case .held(let at, let length): hold(from: at, to: at + length)
      case .stray(let at, let source, let count): stray(at: at, source: source, count: count)
      default: break
      }
    }
    return result
  }

  /// Everything that comes from `start` to `end` is read at the end, in the order of its coming.
  private mutating func hold(from start: Double, to end: Double) {
    let (start, end) = (monotonic(start), monotonic(end))
    let isHeld = { (frame: JournalFrame) in frame.time >= start && frame.time < end }
    let held = result.filter(isHeld).enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
    result.removeAll(where: isHeld)
    for (place, frame) in held.map(\.element).enumerated() {
      let time = end + .nanoseconds(Int64(place) * 10_000)
      switch frame {
      case .rtp(let track, _, let packet): result.append(.rtp(track: track, arrival: time, packet: packet))
      case .rtcp(let track, _, let packet): result.append(.rtcp(track: track, arrival: time, packet: packet))
      case .roundTrip(let track, _, let span):
        result.append(.roundTrip(track: track, at: time, span + (time - frame.time)))
      default: result.append(frame)
      }
    }
  }

  private mutating func stray(at start: Double, source: UInt32, count: Int) {
    for number in 0..<count {
      var bytes: [UInt8] = [0x80, VirtualPlayer.opus, 0x13, UInt8(truncatingIfNeeded: 0x37 + number)]
      append(UInt32(77_000 + number * 960), to: &bytes)
      append(source, to: &bytes)
      // 20 ms of silence in stereo.
      let arrival = monotonic(start + Double(number) * 0.02)
      result.append(.rtp(track: track, arrival: arrival, packet: bytes + [0xFC, 0xFF, 0xFE]))
    }
  }

  private mutating func send(_ payload: [UInt8], captured: Double, at sent: Double) {
    let bytes = packet(payload, captured: captured)
    sequence &+= 1
    previous = payload
    guard player.network == nil else { return packets.append(.init(time: sent, content: bytes)) }
    for arrival in link.arrivals(of: sent) where !isAway(sent, arrival) {
      result.append(.rtp(track: track, arrival: monotonic(arrival), packet: bytes))
    }
  }

  /// A packet that is lost in an outage comes again only if the outage ends while the sender still has it.
  private func isAway(_ sent: Double, _ arrival: Double) -> Bool {
    player.events.contains { event in
      guard case .outage(let at, let length) = event else { return false }
      return arrival >= at && arrival < at + length
    }
  }

  private func isDue(_ captured: Double) -> Bool {
    guard let told else { return true }
    let elapsed = Double(Int32(bitPattern: timestamp &- told.timestamp)) / 48_000
    return elapsed >= player.captureTimeInterval || abs(captured - told.captured - elapsed) > 0.001
  }

  private mutating func packet(_ payload: [UInt8], captured: Double) -> [UInt8] {
    let usesRED = player.sendsRedundancy && previous != nil
    let tellsTime = player.sendsCaptureTime && isDue(captured)
    if tellsTime { told = (captured, timestamp) }
    var bytes: [UInt8] = [tellsTime ? 0x90 : 0x80, usesRED ? VirtualPlayer.red : VirtualPlayer.opus]
    append(sequence, to: &bytes)
    append(timestamp, to: &bytes)
    append(source, to: &bytes)
    if tellsTime {
      // RFC 8285 one-byte head, 16 bytes as Chromium sends them: NTP time and an offset of zero.
      append(UInt32(0xBEDE_0005), to: &bytes)
      bytes.append(VirtualPlayer.captureTimeExtension << 4 | 15)
      append(ntp(captured), to: &bytes)
      append(UInt64(0), to: &bytes)
      bytes += [0, 0, 0]
    }
    if usesRED, let previous {
      let offset = UInt32(player.packet)
      bytes.append(0x80 | VirtualPlayer.opus)
      bytes.append(UInt8(truncatingIfNeeded: offset >> 6))
      bytes.append(UInt8(truncatingIfNeeded: offset << 2) | UInt8(previous.count >> 8))
      bytes.append(UInt8(previous.count & 0xFF))
      bytes.append(VirtualPlayer.opus)
      bytes += previous
    }
    return bytes + payload
  }

  private mutating func report(at time: Double) {
    if player.sendsReports {
      var bytes: [UInt8] = [0x80, 200, 0, 6]
      append(source, to: &bytes)
      append(ntp(time), to: &bytes)
      // The RTP time of this very instant: the packet that was just sent ended now.
      append(timestamp &+ UInt32(player.packet), to: &bytes)
      append(UInt64(0), to: &bytes)
      if player.network == nil {
        result.append(.rtcp(track: track, arrival: monotonic(time + link.delay + link.waiting()), packet: bytes))
      } else {
        packets.append(.init(time: time, content: bytes, isReport: true))
      }
    }
    if player.reportsRoundTrip, player.network == nil {
      let measured = link.roundTrip()
      result.append(
        .roundTrip(track: track, at: monotonic(time + measured), .nanoseconds(Int64(measured * 1e9))))
    }
  }

  /// Sends what waits through the network.
  private mutating func deliver() {
    guard var network = player.network else { return }
    for case .outage(let at, let length) in player.events { network.outages.append(at...(at + length)) }
    let delivery = network.carry(packets)
    for arrival in delivery.arrivals {
      let (packet, time) = (packets[arrival.packet], monotonic(arrival.time))
      result.append(
        packet.isReport
          ? .rtcp(track: track, arrival: time, packet: packet.content)
          : .rtp(track: track, arrival: time, packet: packet.content))
    }
    guard player.reportsRoundTrip else { return }
    for (exchange, smoothed) in zip(delivery.exchanges, delivery.smoothed) {
      let time = monotonic(exchange.returned)
      result.append(.rtcp(track: track, arrival: time, packet: answer(to: exchange)))
      result.append(.roundTrip(track: track, at: time, .nanoseconds(Int64(smoothed * 1e9))))
    }
  }

  /// A DLRR block (RFC 3611 section 4.5) behind an empty receiver report: the sender answered our report at once.
  private func answer(to exchange: VirtualDelivery.Exchange) -> [UInt8] {
    let delay = ExtendedReport.Delay(
      ssrc: 1, lastReceiverReport: NTPClock().time(at: monotonic(exchange.sent)).middle, delay: 0)
    var packets: [RTCPPacket] = [
      .extendedReport(ExtendedReport(ssrc: source, blocks: [.delaySinceLastReceiverReport([delay])]))
    ]
    if player.answersWithReports {
      // A browser's sender report is in the same compound; its RTP time is not looked at where capture times are.
      let elapsed = max(0, (exchange.reached - player.start) * rate)
      packets.insert(
        .senderReport(
          SenderReport(
            ssrc: source, time: NTPTime(bits: ntp(exchange.reached)),
            timestamp: player.firstTimestamp &+ UInt32(truncatingIfNeeded: Int64(elapsed)), packetCount: 0,
            byteCount: 0, blocks: [])), at: 0)
    } else {
      packets.insert(.receiverReport(ReceiverReport(ssrc: source, blocks: [])), at: 0)
    }
    return RTCPCompound.write(packets)
  }

  private func monotonic(_ time: Double) -> MonotonicTime { zero + .nanoseconds(Int64(time * 1e9)) }

  private func ntp(_ time: Double) -> UInt64 { UInt64((time + player.clockOffset) * 4_294_967_296) }

  private func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }
}
