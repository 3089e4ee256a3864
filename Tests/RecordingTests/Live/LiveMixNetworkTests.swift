import Machines
import Music
import Realtime
import TestSupport
import Testing

@testable import Recording

/// What a bad network does to a live mix.
@Suite struct LiveMixNetworkTests {
  @Test func lossIsConcealedWithoutClicks() throws {
    var player = LivePlayer(1, tone: 400)
    let clean = try LiveStage([player])
    player.loss = 0.05
    let lossy = try LiveStage([player])
    for stage in [clean, lossy] { stage.run(until: 5) }
    let (reference, heard) = (try clean.heard().between(1, 4.9), try lossy.heard().between(1, 4.9))
    let statistics = lossy.statistics(player)
    // All that was lost, but for the last packets, whose turn has not come.
    let lost = Int64(250 - (try player.arrivals().count))
    #expect(lost >= 10)
    #expect((960 * (lost - 2)...960 * lost).contains(statistics.concealedFrames))
    #expect(heard.greatestStep < reference.greatestStep * 1.5)
    #expect(abs(heard.level(of: 400) - reference.level(of: 400)) < 1)
  }

  @Test func redundancyBringsLostPacketsBack() throws {
    var player = LivePlayer(1, tone: 400)
    (player.loss, player.sendsRedundancy) = (0.05, true)
    let stage = try LiveStage([player])
    stage.run(until: 5)
    #expect(stage.statistics(player).recovered > 6)
    // Two in a row are one too many.
    #expect(stage.statistics(player).concealedFrames <= 960 * 3)
  }

  @Test func inBandErrorCorrectionBringsLostPacketsBack() throws {
    var player = LivePlayer(1, tone: 400)
    player.settings = .init(channels: 1, bitrate: 24_000, complexity: 0, isVoice: true, expectedLoss: 30)
    player.loss = 0.05
    let stage = try LiveStage([])
    stage.mixer.add(player.id)
    stage.expect(try player.arrivals(playing: VirtualSignal(tempo: 8).samples(from: 0, count: 240_000)))
    stage.run(until: 5)
    #expect(stage.statistics(player).recovered > 6)
    #expect(stage.statistics(player).concealedFrames <= 960 * 3)
  }

  @Test(arguments: [480, 960])
  func jitterCostsNothingOnceItIsKnown(packet: Int) throws {
    var player = LivePlayer(1)
    (player.jitter, player.length, player.packet) = (0.03, 25, packet)
    let stage = try LiveStage([player])
    stage.run(until: 12)
    let settled = stage.statistics(player)
    stage.run(until: 25)
    let statistics = stage.statistics(player)
    #expect(statistics.concealedFrames == settled.concealedFrames)
    #expect(statistics.late == settled.late)
    #expect(statistics.decoded - settled.decoded > 12 * 48_000 / packet)
    #expect(statistics.delay < .milliseconds(75))
    print("jitter of ±30 ms: delay \(statistics.delay.milliseconds) ms, concealed at first \(settled.concealedFrames)")
  }

  @Test(arguments: [-300.0, 300])
  func driftIsFollowedWithoutConcealment(drift: Double) throws {
    var player = LivePlayer(1)
    player.settings = .init(channels: 1, bitrate: 64_000, complexity: 0)
    (player.drift, player.length, player.jitter) = (drift, 120, 0.002)
    let stage = try LiveStage([player])
    var (least, most) = (Double.infinity, 0.0)
    stage.run(until: 119.5) { _ in
      guard stage.now > 30 else { return }
      let delay = stage.statistics(player).delay.milliseconds
      (least, most) = (min(least, delay), max(most, delay))
    }
    let statistics = stage.statistics(player)
    #expect(statistics.concealedFrames == 0)
    #expect(statistics.late == 0)
    #expect(statistics.restarts == 0)
    // Between the least jitter delay and the first one, and what the settling adds.
    #expect(least > 14)
    #expect(most < 45)
    // On its way from the first delay to the least one it bends the pitch besides.
    #expect(abs(statistics.pace - drift) < 150)
    print("drift of \(drift) ppm: delay \(least) to \(most) ms, pace \(statistics.pace) ppm")
  }

  @Test func reorderedAndDoubledPacketsDoNoHarm() throws {
    var player = LivePlayer(1)
    (player.reordering, player.duplication) = (0.1, 0.1)
    let stage = try LiveStage([player])
    stage.expect(try player.arrivals().prefix(20).map { $0.again(after: 0.002, isMarked: true) })
    stage.run(until: 5)
    let statistics = stage.statistics(player)
    #expect(statistics.concealedFrames == 0)
    #expect(statistics.duplicates > 30)
    let clean = LivePlayer(1)
    let reference = try LiveStage([clean])
    reference.run(until: 5)
    #expect(
      try stage.heard().between(1, 4.9).greatestStep <= reference.heard().between(1, 4.9).greatestStep * 1.02)
  }

  @Test func packetsThatComeJustTooLateLeaveNoClick() throws {
    let player = LivePlayer(1, tone: 400)
    let settled = LiveMixer.Configuration(
      packetTime: .milliseconds(10), complexity: 0, startDelay: .milliseconds(20))
    let stages = try (0...1).map { _ in try LiveStage([], outputs: [.everybody], settled) }
    for (index, stage) in stages.enumerated() {
      stage.mixer.add(player.id)
      stage.expect(
        try player.arrivals().map { arrival in
          // Once in two seconds, between none and all of the packet's turn is over.
          index == 1 && arrival.sequence % 100 == 60
            ? arrival.again(after: 0.026 + Double(arrival.sequence) * 2e-5) : arrival
        })
      stage.run(until: 5)
    }
    #expect(stages[1].statistics(player).late >= 2)
    let steps = try stages.map { try $0.heard().between(1, 4.9).greatestStep }
    #expect(steps[1] < steps[0] * 1.3)
  }

  @Test func aPathThatBecomesLongerIsFollowedAtOnce() throws {
    var (before, after) = (LivePlayer(1), LivePlayer(1))
    before.length = 3
    let stage = try LiveStage([before])
    after.delay = 0.18
    after.length = 8
    stage.expect(try after.arrivals().filter { $0.sequence >= 150 })
    stage.run(until: 8)
    let statistics = stage.statistics(before)
    #expect(statistics.restarts == 1)
    #expect(statistics.concealedFrames <= 9_600)
    #expect(abs(try stage.heard().between(3.6, 7.9).level(of: 1_000) + 12) < 0.2)
    #expect(statistics.delay < .milliseconds(60))
  }

  @Test func aBurstThatComesOnceIsNotWaitedForEverAfter() throws {
    let player = LivePlayer(1)
    let stage = try LiveStage([])
    stage.mixer.add(player.id)
    // Held up for 150 ms, then all at once.
    stage.expect(
      try player.arrivals().map {
        var arrival = $0
        if (2.0...2.15).contains(arrival.time) { arrival.time = 2.15 + Double(arrival.sequence) * 1e-6 }
        return arrival
      })
    stage.run(until: 5)
    #expect(stage.statistics(player).delay < .milliseconds(60))
    #expect(stage.statistics(player).concealedFrames <= 4_800)
    #expect(abs(try stage.heard().between(2.4, 4.9).level(of: 1_000) + 12) < 0.2)
  }
}
