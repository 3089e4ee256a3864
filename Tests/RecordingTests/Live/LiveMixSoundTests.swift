import Machines
import Music
import Realtime
import TestSupport
import Testing

@testable import Recording

/// What listeners of a live mix hear.
@Suite struct LiveMixSoundTests {
  @Test(arguments: [(960, 2), (480, 2), (120, 2), (2_880, 1), (960, 1), (5_760, 2)])
  func oneSourceIsHeardAtItsLevelAndPitch(packet: Int, channels: Int) throws {
    var player = LivePlayer(1)
    player.packet = packet
    player.settings.channels = channels
    player.length = 3
    let stage = try LiveStage([player])
    stage.run(until: 3)
    for channel in 0...1 {
      let heard = try stage.heard(channel: channel).between(1, 2.8)
      // Packets of 2.5 ms leave the codec the least to work with.
      #expect(abs(heard.level(of: 1_000) + 12.04) < 0.3)
      // Upward crossings of zero: each a turn.
      let turns = zip(heard, heard.dropFirst()).count { $0 < 0 && $1 >= 0 }
      #expect(abs(turns - 1_800) < 6)
    }
    let statistics = stage.statistics(player)
    #expect(statistics.concealedFrames == 0)
    #expect(statistics.late == 0)
    #expect(statistics.decoded > statistics.packets * 9 / 10)
  }

  @Test func threeSourcesAreInTheMixAndEachMinusMixLacksOne() throws {
    let players = [LivePlayer(1, tone: 400), LivePlayer(2, tone: 1_100), LivePlayer(3, tone: 2_900, level: 0.125)]
    let minus = players.map { LiveMixOutput.without($0.id) }
    let stage = try LiveStage(players, outputs: Set([.everybody] + minus))
    stage.run(until: 4)
    let all = try stage.heard().between(1.5, 3.5)
    for player in players {
      let level = Tone.level(Double(player.level))
      #expect(abs(all.level(of: player.tone) - level) < 0.5)
      for output in minus {
        let heard = try stage.heard(output).between(1.5, 3.5)
        if output == .without(player.id) {
          #expect(heard.level(of: player.tone, piece: 24_000) < level - 60)
        } else {
          #expect(abs(heard.level(of: player.tone) - level) < 0.5)
        }
      }
    }
    // Decoded once each, however many listen.
    for player in players { #expect(stage.statistics(player).decoded <= 200) }
  }

  @Test func aLoudSumStaysBelowTheCeiling() throws {
    let players = (1...3).map { LivePlayer($0, tone: 200 + 100 * Double($0), level: 0.9) }
    let stage = try LiveStage(players, outputs: [.everybody], .init(bitrate: 256_000, complexity: 0))
    stage.run(until: 4)
    let heard = try stage.heard().between(1, 3.8)
    // The limiter holds -1 dBTP; encoding may add a little, but nothing clips.
    #expect(TruePeak.highest(in: heard) < Gain(decibels: -0.5).factor)
    #expect(heard.highest > Gain(decibels: -3).factor)
    #expect(stage.mixer.statistics.limitedFrames > 10_000)
  }

  @Test func whoLeavesFadesOutAndWhoComesBackIsHeardAgain() throws {
    var (stays, goes) = (LivePlayer(1, tone: 400), LivePlayer(2, tone: 1_100))
    (stays.length, goes.length) = (6, 6)
    let stage = try LiveStage([stays, goes])
    stage.run(until: 2)
    stage.mixer.remove(goes.id)
    stage.run(until: 4)
    #expect(stage.mixer.statistics.sources[goes.id] == nil)
    #expect(stage.mixer.statistics.strayPackets > 90)
    stage.mixer.add(goes.id)
    stage.run(until: 6)
    let heard = try stage.heard()
    #expect(abs(heard.between(1, 1.9).level(of: 1_100) + 12) < 0.3)
    #expect(heard.between(2.2, 3.9).level(of: 1_100) < -70)
    #expect(abs(heard.between(4.5, 5.9).level(of: 1_100) + 12) < 0.3)
    #expect(abs(heard.between(1, 5.9).level(of: 400) + 12) < 0.3)
    // The steepest the two tones can be together, and a tenth for the codecs: libopus computes with what the processor has,
    // and not to the same bits everywhere. A click is several times as steep.
    let steepest: Float = 2 * .pi * (400 + 1_100) / 48_000 * 0.25
    #expect(heard.between(1, 5.9).greatestStep < steepest * 1.1)
  }

  @Test func aSourceThatBeginsAnewGoesOnWithoutAClick() throws {
    var (before, after) = (LivePlayer(1), LivePlayer(1))
    before.length = 2
    (after.start, after.segment, after.firstTimestamp) = (2, 1, 99)
    let stage = try LiveStage([before])
    stage.expect(try after.arrivals())
    // A straggler of the segment before does not turn it back.
    stage.expect([try before.arrivals()[98].again(after: 0.3)])
    stage.run(until: 5)
    let heard = try stage.heard()
    #expect(abs(heard.between(1, 1.9).level(of: 1_000) + 12) < 0.2)
    #expect(abs(heard.between(2.5, 4.9).level(of: 1_000) + 12) < 0.2)
    let steepest: Float = 2 * .pi * 1_000 / 48_000 * 0.25
    #expect(heard.between(1, 4.9).greatestStep < steepest * 1.1)
    #expect(stage.statistics(before).restarts == 1)
    #expect(stage.statistics(before).late == 1)
  }

  @Test func anAnnouncedSilenceIsSilenceAndNoLoss() throws {
    var player = LivePlayer(1)
    player.settings = .init(channels: 1, bitrate: 32_000, complexity: 0, isVoice: true, isDiscontinuous: true)
    var sound = VirtualSignal(tempo: 8).samples(from: 0, count: 288_000)
    for index in 96_000..<192_000 { sound[index] = 0 }
    let encoder = try OpusEncoder(player.settings)
    let payloads = try (0..<300).map { try encoder.encode(Array(sound[($0 * 960)..<($0 * 960 + 960)])) }
    // Of packets that say "nothing to send" every twentieth is sent, and numbers are given to those that are.
    var (arrivals, quiet): ([LiveArrival], Int) = ([], 0)
    for var arrival in try player.arrivals(of: payloads) {
      quiet = arrival.packet.payload.count <= 2 ? quiet + 1 : 0
      guard quiet % 20 < 2 else { continue }
      arrival.sequence = Int64(arrivals.count)
      arrivals.append(arrival)
    }
    #expect(arrivals.count < 250)
    let stage = try LiveStage([])
    stage.mixer.add(player.id)
    stage.expect(arrivals)
    stage.run(until: 6)
    let heard = try stage.heard()
    #expect(stage.statistics(player).concealedFrames == 0)
    #expect(heard.between(1, 2).highest > 0.1)
    #expect(heard.between(3, 4).highest < 0.001)
    #expect(heard.between(4.5, 5.9).highest > 0.1)
  }

  @Test func silenceIsEncodedSoThatTheStreamsGoOn() throws {
    let stage = try LiveStage([])
    stage.run(until: 1)
    let packets = try #require(stage.packets[.everybody])
    #expect(packets.count == 51)
    #expect(packets.map(\.sequence) == Array(0...50))
    #expect(packets.map(\.timestamp) == (0...50).map { $0 * 960 })
    #expect(packets.dropFirst(5).allSatisfy { $0.payload.count < 40 })
    #expect(try stage.heard().highest < 1e-4)
  }
}
