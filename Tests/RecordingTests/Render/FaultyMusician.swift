import Machines
import Music
import Realtime
import TestSupport

@testable import Recording

/// A musician whose clock, path and words are known and may be at fault, rendered without sound: what counts is where each
/// packet comes to lie, and what the report says of that.
struct FaultyMusician {
  /// What was found; errors in milliseconds, positive where a packet lies later than it was captured.
  struct Outcome {
    var errors: [(time: Double, error: Double)] = []
    var report: AlignmentReport?
    var gaps: [Gap] = []
    /// Streams that the whole take shows to lie elsewhere.
    var lines = 0

    func bound(at time: Double) -> Double {
      guard let stretch = report?.stretches.first(where: { $0.end.seconds > time }) else { return 0 }
      return stretch.errorBound ?? .infinity
    }

    /// The packet whose error is furthest beyond its bound, or nearest to it.
    var worst: (time: Double, error: Double, bound: Double)? {
      // A plain loop: a test's own `map` of a whole take is slow.
      var worst: (time: Double, error: Double, bound: Double)?
      for (time, error) in errors {
        let bound = self.bound(at: time)
        if let known = worst, abs(error) - bound <= abs(known.error) - known.bound { continue }
        worst = (time, error, bound)
      }
      return worst
    }

    /// The greatest error from `start` (seconds) on.
    func greatestError(from start: Double = 0) -> Double {
      errors.filter { $0.time >= start }.map { abs($0.error) }.max() ?? .infinity
    }
  }

  private static let packet = 0.02
  private static let source: UInt32 = 0x5EED
  private static let zero = MonotonicTime(nanoseconds: 5_000_000_321)
  /// What the sender's NTP clock is ahead of the take's zero, in seconds.
  private static let clockOffset = 3_900_000_000.0

  var length = 80.0
  var origin = "rtp"
  /// The sound card's clock, in ppm.
  var drift = 0.0
  /// One way there at a time, and back, in seconds.
  var delay: (Double) -> Double = { _ in 0.03 }
  var back = 0.03
  var jitter = 0.004
  /// What the microphone leaves out: every so many seconds so much; RTP time does not know of it.
  var drops: (every: Double, length: Double)?
  /// Seconds between sender reports; nil for none.
  var reports: Double? = 1
  /// By how much the RTP times of reports are ahead, and scatter, in seconds.
  var reportsAhead = 0.0
  var reportScatter = 0.0
  /// False where the RTP times of reports are counted by the machine's clock.
  var reportsKnowDrops = true
  /// True where reports also leave while the microphone stands still; they count on from the last packet.
  var reportsRunOn = false
  /// Answers our reports, one a second.
  var answers = true
  /// By how much the answer of this number overstates how long it was held, in seconds.
  var lie: (Int) -> Double = { _ in 0 }
  var seed: UInt64 = 1

  /// The true instant of the sample at `media` seconds of RTP time.
  private func captured(_ media: Double) -> Double {
    let sound = 0.3 + media / (1 + drift * 1e-6)
    guard let drops else { return sound }
    // Between two drops the microphone gives `every` seconds less the drop's length.
    return sound + (media / (drops.every - drops.length)).rounded(.down) * drops.length
  }

  /// Renders as the second look does: with what the whole take shows.
  func refine() throws -> Outcome {
    let options = RenderOptions(makesMix: false)
    let examination = Examination(header: try header(), options: options)
    for frame in try journal() { try examination.handle(frame) }
    _ = try examination.finish()
    var refined = options.withHindsight
    refined.lines = examination.lines
    var outcome = try record(refined)
    outcome.lines = refined.lines.count
    return outcome
  }

  func record(_ options: RenderOptions = RenderOptions(makesMix: false)) throws -> Outcome {
    let render = RollingRender(header: try header(), options: options.examining, sink: DiscardingSink())
    var outcome = Outcome()
    for frame in try journal() {
      try render.handle(frame)
      collect(render, &outcome)
    }
    _ = try render.finish()
    collect(render, &outcome)
    outcome.report = render.tracks[0].report
    outcome.gaps = render.tracks[0].gaps
    return outcome
  }

  private func journal() throws -> [JournalFrame] {
    let track = JournalTrack(
      trackID: JournalSamples.id(10),
      participant: Participant(id: JournalSamples.id(11), name: try JournalSamples.name("Zoë")), part: nil,
      origin: origin, stream: VirtualPlayer().stream)
    return [.trackOpened(track: 1, track, at: monotonic(0))] + frames().sorted { $0.time < $1.time }
      + [.end(at: monotonic(length), .stopped)]
  }

  private func header() throws -> JournalHeader {
    JournalHeader(take: try JournalSamples.take(), zero: FaultyMusician.zero, software: "jamjar test")
  }

  private func collect(_ render: RollingRender, _ outcome: inout Outcome) {
    for played in render.tracks.first?.takePlayed() ?? [] {
      // The decoder is behind the microphone by the encoder's look-ahead.
      let place = Double(played.place + Int64(OpusPacket.encoderLookahead)) / SenderClock.rate
      let truth = captured(Double(played.sequence) * FaultyMusician.packet)
      outcome.errors.append((Double(played.place) / SenderClock.rate, (place - truth) * 1_000))
    }
  }

  private func frames() -> [JournalFrame] {
    var random = SeededRandom(seed)
    var frames: [JournalFrame] = []
    func way(_ time: Double) -> Double { time + delay(time) + random.unit() * jitter }
    var nextReport = 0.5
    var index = 0
    while captured(Double(index) * FaultyMusician.packet) < length {
      let media = Double(index) * FaultyMusician.packet
      let sent = captured(media) + FaultyMusician.packet / (1 + drift * 1e-6)
      if way(sent) < length { frames.append(rtp(index, at: way(sent))) }
      while let reports, reportsRunOn, index > 0, nextReport < sent {
        let before = media + nextReport - captured(media - FaultyMusician.packet) - FaultyMusician.packet
        frames.append(.rtcp(track: 1, arrival: monotonic(way(nextReport)), packet: report(nextReport, before)))
        nextReport += reports
      }
      if let reports, sent >= nextReport {
        nextReport += reports
        let known = reportsKnowDrops ? media + FaultyMusician.packet : (sent - 0.3) * (1 + drift * 1e-6)
        let said = known + reportsAhead + (random.unit() - 0.5) * reportScatter
        frames.append(.rtcp(track: 1, arrival: monotonic(way(sent)), packet: report(sent, said)))
      }
      index += 1
    }
    guard answers else { return frames }
    for number in 0..<Int(length) {
      let sent = Double(number) + random.unit() * 0.2
      // The recorder's reference times leave every 100 ms, and the last one is answered.
      let held = random.unit() * 0.1
      let left = sent + back + random.unit() * jitter + held
      frames.append(
        .rtcp(track: 1, arrival: monotonic(way(left)), packet: answer(to: sent, held: held + lie(number))))
    }
    return frames
  }

  private func rtp(_ index: Int, at arrival: Double) -> JournalFrame {
    var bytes: [UInt8] = [0x80, VirtualPlayer.opus, UInt8(truncatingIfNeeded: index >> 8), UInt8(index & 255)]
    append(UInt32(index * 960), to: &bytes)
    append(FaultyMusician.source, to: &bytes)
    // 20 ms of silence.
    return .rtp(track: 1, arrival: monotonic(arrival), packet: bytes + [0xF8, 0xFF, 0xFE])
  }

  private func report(_ time: Double, _ media: Double) -> [UInt8] {
    let samples = Int64((media * SenderClock.rate).rounded())
    return RTCPCompound.write([
      .senderReport(
        SenderReport(
          ssrc: FaultyMusician.source,
          time: NTPTime(bits: UInt64((time + FaultyMusician.clockOffset) * 4_294_967_296)),
          timestamp: UInt32(truncatingIfNeeded: samples), packetCount: 0, byteCount: 0, blocks: []))
    ])
  }

  private func answer(to sent: Double, held: Double) -> [UInt8] {
    let delay = ExtendedReport.Delay(
      ssrc: 1, lastReceiverReport: NTPClock().time(at: monotonic(sent)).middle, delay: UInt32(max(0, held) * 65_536))
    return RTCPCompound.write([
      .receiverReport(ReceiverReport(ssrc: FaultyMusician.source, blocks: [])),
      .extendedReport(ExtendedReport(ssrc: FaultyMusician.source, blocks: [.delaySinceLastReceiverReport([delay])])),
    ])
  }

  private func monotonic(_ time: Double) -> MonotonicTime { FaultyMusician.zero + .nanoseconds(Int64(time * 1e9)) }

  private func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }
}
