import Machines
import Music
import Realtime
import TestSupport
import Testing

@testable import Recording

/// When a live mix makes its packets, and how late they are.
@Suite struct LiveMixTimeTests {
  /// Seconds from the arrival of a click's packet to the making of the mix packet that holds it, settled.
  private func latency(_ configuration: LiveMixer.Configuration, start: Double) throws -> Double {
    var player = LivePlayer(1)
    (player.start, player.packet) = (start, configuration.frames)
    var sound = [Float](repeating: 0, count: configuration.frames * 2)
    let encoder = try OpusEncoder(player.settings)
    let silence = try (0..<20).map { _ in try encoder.encode(sound) }
    for index in 0..<480 { sound[index] = index % 48 < 24 ? 0.5 : -0.5 }
    let click = try encoder.encode(sound)
    let count = 3 * 48_000 / configuration.frames
    let arrivals = try player.arrivals(of: (0..<count).map { silence[$0 % 20] } + [click] + silence)
    let stage = try LiveStage([], outputs: [.everybody], configuration)
    stage.mixer.add(player.id)
    stage.expect(arrivals)
    stage.run(until: 4)
    let heard = try stage.heard()
    let first = try #require(heard.firstIndex { $0.magnitude > 0.1 })
    // The listener's decoder gives it out later than it lies in the packet, by the encoder's look-ahead: that of CELT alone.
    let block = (first - 120) / configuration.frames
    return stage.times[block] - arrivals[count].time
  }

  @Test(arguments: [10, 20])
  func aClickIsInTheMixSoonAfterItsArrival(packetTime: Int64) throws {
    let configuration = LiveMixer.Configuration(
      packetTime: .milliseconds(packetTime), complexity: 0, startDelay: .milliseconds(20))
    let latencies = try (0..<4).map { try latency(configuration, start: Double($0) * 0.005) * 1e3 }
    let worst = latencies.max() ?? .infinity
    print("latency with packets of \(packetTime) ms: \(latencies) ms")
    // The least jitter delay and what the buffer still has to lose, a packet of either side, the limiter.
    #expect(worst < 40 + 2 * Double(packetTime))
    #expect((latencies.min() ?? 0) > 15)
  }

  @Test func aStallIsLeftOutAndNotMadeUpFor() throws {
    let player = LivePlayer(1)
    let stage = try LiveStage([player])
    stage.run(until: 2)
    let count = try #require(stage.packets[.everybody]?.count)
    // 0.4 s are made up for...
    stage.advance(to: 2.4)
    #expect(stage.packets[.everybody]?.count == count + 20)
    // ...and 0.7 s are not.
    stage.advance(to: 3.1)
    let packets = try #require(stage.packets[.everybody])
    #expect(packets.count <= count + 22)
    #expect(stage.mixer.statistics.stalls == 1)
    #expect(packets.map(\.sequence) == (0..<packets.count).map(Int64.init))
    let step = packets[count + 20].timestamp - packets[count + 19].timestamp
    #expect(step % 960 == 0 && step >= 33_600 - 960)
    stage.run(until: 5)
    let heard = try stage.heard()
    #expect(abs(heard.between(Double(heard.count) / 48_000 - 1.1, 100).level(of: 1_000) + 12) < 0.3)
  }

  @Test func withoutOutputsNothingIsMadeAndNothingKept() throws {
    let player = LivePlayer(1)
    let stage = try LiveStage([player], outputs: [])
    stage.run(until: 2)
    #expect(stage.mixer.deadline == nil)
    #expect(stage.packets.isEmpty)
    #expect(stage.statistics(player).packets == 0)
    stage.mixer.setOutputs([.everybody])
    #expect(stage.mixer.deadline != nil)
    stage.run(until: 4)
    #expect(abs(try stage.heard().between(0.5, 1.9).level(of: 1_000) + 12) < 0.3)
    stage.mixer.setOutputs([.without(player.id)])
    stage.run(until: 5)
    #expect(stage.packets[.without(player.id)]?.count == 50)
    #expect(try stage.heard(.without(player.id)).highest < 0.001)
    stage.mixer.setOutputs([])
    #expect(stage.mixer.deadline == nil)
  }
}
