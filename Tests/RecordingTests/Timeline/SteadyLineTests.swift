import Foundation
import TestSupport
import Testing

@testable import Recording

/// Senders by RTMP, who tell nothing about their clock: frames of AAC leave when the sender looks for them.
@Suite struct SteadyLineTests {
  /// A musician who plays into a rendered track, in virtual time.
  private struct Performance {
    var drift = 0.0
    /// Seconds of even jitter, and between two looks of the sender.
    var jitter = 0.0
    var poll = 0.0
    /// Seconds between two bursts; 0 without.
    var burst = 0.0
    var frame = 1_024.0 / 48_000
    /// Share of packets that wait up to 50 ms longer.
    var spikes = 0.0
    var seed: UInt64 = 1
    /// What was seen of each rendered block: its time in seconds, how many samples it is off, and its pitch in ppm.
    private(set) var blocks: [(time: Double, off: Double, pitch: Double)] = []
    private(set) var clock = SenderClock(isSilent: true)

    /// True time of the media time 0.
    private static let start = 1.0

    mutating func play(seconds: Double) {
      var random = SeededRandom(seed)
      let rate = 1 + drift * 1e-6
      var placement: Placement?
      var (timeline, sequence) = (Int64(0), Int64(0))
      var (now, look) = (0.0, 0.0)
      while now < seconds {
        let end = Double(sequence + 1) * 0.02
        let frames = (end / frame - 1e-9).rounded(.up)
        let complete = frames * frame / rate + Performance.start
        var arrival = complete
        if poll > 0 {
          while look < complete { look += poll + random.unit() * 0.000_3 }
          arrival = look
        }
        arrival += jitter * random.unit()
        if random.unit() < spikes { arrival += 0.05 * random.unit() }
        if burst > 0 { arrival = (arrival / burst).rounded(.up) * burst }
        now = max(now, arrival)
        // As `FrameFlow` stamps it: less the sound of the frame behind the packet.
        clock.observe(packet: sequence, endingAt: end, arrival: now - (frames * frame - end), isInOrder: true)
        sequence += 1
        render(until: now - 4, rate, &placement, &timeline)
      }
    }

    private mutating func render(until end: Double, _ rate: Double, _ placement: inout Placement?, _ next: inout Int64)
    {
      while Double(next) / 48_000 < end {
        if placement == nil { next = max(next, Placement.start(of: 0, clock)) }
        var present = placement ?? Placement(start: next, clock: clock)
        let piece = present.advance(960, toward: clock)
        placement = present
        next += 960
        let truth = Performance.start + Placement.media(of: piece.position) / rate
        let time = Double(piece.start) / 48_000
        blocks.append((time, (time - truth) * 48_000, (piece.step / rate - 1) * 1e6))
      }
    }

    /// Samples by which the place moved within each minute.
    var wander: [Double] {
      let minutes = Int((blocks.last?.time ?? 0) / 60)
      return (0..<minutes).map { minute in
        let offs = blocks.filter { Int($0.time / 60) == minute }.map { $0.off }
        return (offs.max() ?? 0) - (offs.min() ?? 0)
      }
    }

    func worst(after time: Double = 0) -> Double {
      blocks.filter { $0.time >= time }.map { abs($0.off) }.max() ?? .infinity
    }

    func worstPitch(after time: Double = 0) -> Double {
      blocks.filter { $0.time >= time }.map { abs($0.pitch) }.max() ?? .infinity
    }
  }

  /// Jitter and interval of looking in seconds, rate of the frames in Hz.
  @Test(arguments: [
    (0.001, 0.0, 48_000.0), (0.005, 0.0, 48_000.0), (0.0005, 0.0101, 48_000.0), (0.0005, 0.0101, 44_100.0),
  ])
  func aQuietPathMovesNothingForTenMinutes(jitter: Double, poll: Double, rate: Double) {
    let frame = 1_024 / rate
    for seed in 1...4 as ClosedRange<UInt64> {
      var performance = Performance(jitter: jitter, poll: poll, frame: frame, seed: seed)
      performance.play(seconds: 604)
      #expect(performance.wander.count == 10)
      for wander in performance.wander { #expect(wander <= 2, "seed \(seed)") }
      #expect(performance.worstPitch() <= 5)
      // The quickest of some hundred packets hardly waited, and half a millisecond is not worth a movement.
      #expect(performance.worst() < 36)
    }
  }

  @Test(arguments: [100.0, -100.0, 20.0, -7.0])
  func driftIsFoundAndTheErrorStaysBelowAMillisecond(drift: Double) {
    for seed in 1...4 as ClosedRange<UInt64> {
      var performance = Performance(drift: drift, jitter: 0.005, seed: seed)
      performance.play(seconds: 604)
      #expect(abs(performance.clock.drift - drift) < 1)
      #expect(performance.worst() < 48)
      #expect(performance.worst(after: 300) < 12)
      #expect(performance.worstPitch(after: 120) < 10)
    }
  }

  /// NTP alone may slew a machine's clock by 500 ppm. What is taken for no drift is never caught up with.
  @Test(arguments: [550.0, 900.0, -900.0])
  func aClockFarOffIsFollowedToo(drift: Double) {
    for seed in 1...4 as ClosedRange<UInt64> {
      var performance = Performance(drift: drift, jitter: 0.005, seed: seed)
      performance.play(seconds: 604)
      #expect(abs(performance.clock.drift - drift) < 2)
      #expect(performance.worst() < 240)
      #expect(performance.worst(after: 300) < 24)
    }
  }

  @Test func aBusyPathIsHeldLikeAQuietOne() {
    for seed in 1...4 as ClosedRange<UInt64> {
      var performance = Performance(jitter: 0.005, poll: 0.010_1, spikes: 0.01, seed: seed)
      performance.play(seconds: 304)
      for wander in performance.wander { #expect(wander < 24, "seed \(seed)") }
      #expect(performance.worst() < 96)
    }
  }

  /// Where a burst ends within a packet shifts slowly, as a drift of hundreds of ppm would.
  @Test(arguments: [0.1, 0.853, 2.0])
  func burstsAreNoDrift(burst: Double) {
    for seed in 1...4 as ClosedRange<UInt64> {
      var performance = Performance(burst: burst, seed: seed)
      performance.play(seconds: 604)
      #expect(abs(performance.clock.drift) < 1, "seed \(seed)")
      // A packet and a frame.
      #expect(performance.worst() < 48 * 45)
    }
  }

  @Test func aLongerPathIsFollowedOnceItLasts() throws {
    var line = SteadyLine()
    var random = SeededRandom(3)
    func wait(_ second: Int) -> Double {
      let load: Double = (200..<220).contains(second) ? 0.02 : 0
      let path: Double = second >= 300 ? 0.02 : 0
      return 0.05 + load + path + random.unit() * 0.000_2
    }
    for second in 0..<290 { line.add(EnvelopePoint(media: Double(second), residual: wait(second))) }
    let before = try #require(line.level)
    #expect(abs(before - 0.05) < 0.000_2)
    for second in 290..<340 { line.add(EnvelopePoint(media: Double(second), residual: wait(second))) }
    let after = try #require(line.level)
    #expect(abs(after - 0.07) < 0.000_2)
    #expect(line.slope == 0)
  }

  /// The journal's origin names the codec where the sound was converted: most of those who come by RTMP.
  @Test(arguments: ["rtmp", "rtmp/aac"]) func aRenderKnowsASilentClockByTheOrigin(origin: String) throws {
    var musician = FaultyMusician(length: 120, origin: origin, jitter: 0.005)
    (musician.reports, musician.answers) = (nil, false)
    let places = try musician.record().errors.filter { $0.time < 110 }.map { $0.error }
    #expect(places.count > 5_000)
    let wander = (places.max() ?? .infinity) - (places.min() ?? 0)
    // Two samples, and one for rounding, in milliseconds.
    #expect(wander < 0.065)
  }

  /// After a loss of power the line goes on as it was, and no drop shows then either.
  @Test func aCheckpointHoldsTheLine() throws {
    var performance = Performance(drift: 40, jitter: 0.005)
    performance.play(seconds: 90)
    var clock = performance.clock
    var copy = try JSONDecoder().decode(SenderClock.self, from: JSONEncoder().encode(clock))
    var random = SeededRandom(8)
    for packet in 0..<3_000 {
      let end = 90 + Double(packet + 1) * 0.02
      let arrival = end / (1 + 40e-6) + 1 + 0.005 * random.unit()
      clock.observe(packet: Int64(5_000 + packet), endingAt: end, arrival: arrival, isInOrder: true)
      copy.observe(packet: Int64(5_000 + packet), endingAt: end, arrival: arrival, isInOrder: true)
    }
    #expect(copy.timeConstant == Placement.longTimeConstant)
    #expect(copy.captureTime(atMedia: 150) == clock.captureTime(atMedia: 150))
    #expect(abs(copy.drift - 40) < 2)
    #expect(copy.dropsSeen == nil)
  }

  /// A musician who comes back by WebRTC has reports.
  @Test func reportsEndTheSilence() {
    var performance = Performance(jitter: 0.005)
    performance.play(seconds: 60)
    var clock = performance.clock
    #expect(clock.timeConstant == Placement.longTimeConstant)
    clock.observe(senderReport: 1_000, media: 60, arrival: 61)
    #expect(clock.timeConstant == Placement.usualTimeConstant)
  }
}
