import Machines
import Music
import Realtime
import TestSupport
import Testing

@testable import Recording

/// Whatever comes, the mix goes on.
@Suite struct LiveMixGarbageTests {
  private func packet(_ bytes: [UInt8], type: UInt8, ssrc: UInt32 = 9) throws -> RTPPacket {
    let writer = RTPWriter(payloadType: type, sequenceNumber: 1, timestamp: 1, ssrc: ssrc)
    return try RTPPacket(parsing: writer.packet(payload: bytes))
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func randomPayloadsBreakNothing(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let (player, noisy) = (LivePlayer(1), LivePlayer(2))
    let stage = try LiveStage([player])
    stage.mixer.add(noisy.id)
    stage.expect(
      try (0..<600).map { index in
        let bytes = (0..<Int(random.next() % 200)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let type = random.unit() < 0.3 ? LivePlayer.red : LivePlayer.opus
        let isWild = random.unit() < 0.05
        return LiveArrival(
          source: noisy.id, time: Double(index) * 0.007, packet: try packet(bytes, type: type),
          sequence: isWild ? Int64(truncatingIfNeeded: random.next()) : Int64(index),
          timestamp: isWild ? Int64(truncatingIfNeeded: random.next()) : Int64(index) * 960,
          segment: index / 200)
      })
    stage.run(until: 5)
    #expect(stage.statistics(noisy).packets == 600)
    #expect(stage.statistics(noisy).garbage > 0)
    #expect(stage.packets[.everybody]?.count == 251)
    // The limiter holds what random packets decode to, be it as loud as it may.
    #expect(try stage.heard().highest < 1.3)
    #expect(stage.statistics(player).concealedFrames == 0)
  }

  @Test func extremeNumbersBreakNothing() throws {
    let player = LivePlayer(1)
    let stage = try LiveStage([player])
    let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max, 1 << 59, -(1 << 59)]
    var arrivals: [LiveArrival] = []
    for (row, sequence) in extremes.enumerated() {
      for (column, timestamp) in extremes.enumerated() {
        arrivals.append(
          LiveArrival(
            source: player.id, time: 1 + Double(row) * 0.1 + Double(column) * 0.01,
            packet: try packet([0xFC, 1, 2, 3], type: LivePlayer.opus, ssrc: player.ssrc), sequence: sequence,
            timestamp: timestamp, segment: 0))
      }
    }
    stage.expect(arrivals)
    stage.run(until: 5)
    // The musician, who played on all the while, is heard again.
    #expect(abs(try stage.heard().between(3.5, 4.9).level(of: 1_000) + 12) < 0.3)
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func anyOrderOfCallsIsSafe(seed: UInt64) throws {
    var random = SeededRandom(seed)
    var players = (1...3).map { LivePlayer($0) }
    for index in players.indices { (players[index].loss, players[index].jitter) = (0.1, 0.08) }
    let stage = try LiveStage([])
    for player in players { stage.expect(try player.arrivals()) }
    while stage.now < 4.5 {
      let id = players[Int(random.next() % 3)].id
      switch random.next() % 8 {
      case 0...2: stage.mixer.add(id)
      case 3: stage.mixer.remove(id)
      case 4: stage.mixer.setOutputs(random.unit() < 0.2 ? [] : [.everybody, .without(id)])
      case 5: stage.advance(to: stage.now + random.unit() * (random.unit() < 0.1 ? 1 : 0.05))
      default: stage.run(until: stage.now + random.unit() * 0.05)
      }
    }
    stage.mixer.setOutputs([.everybody])
    for player in players { stage.mixer.add(player.id) }
    var last = LivePlayer(1, tone: 1_000)
    (last.start, last.length, last.segment) = (6, 3, 1)
    stage.expect(try last.arrivals())
    stage.run(until: 9)
    let heard = try stage.heard()
    let end = Double(heard.count) / 48_000
    #expect(abs(heard.between(end - 1.5, end - 0.5).level(of: 1_000) + 12) < 0.3)
  }

  @Test func otherPayloadTypesAreCountedAndLeftOut() throws {
    let player = LivePlayer(1)
    let stage = try LiveStage([player])
    stage.expect(
      try (0..<50).map { index in
        LiveArrival(
          source: player.id, time: 1 + Double(index) * 0.02, packet: try packet([1, 2, 3], type: 13),
          sequence: Int64(10_000 + index), timestamp: 0, segment: 0)
      })
    stage.run(until: 4)
    #expect(stage.statistics(player).garbage == 50)
    #expect(stage.statistics(player).concealedFrames == 0)
  }

  @Test func aFloodIsRefused() throws {
    let player = LivePlayer(1)
    let stage = try LiveStage([])
    stage.mixer.add(player.id)
    for index in 0..<5_000 {
      stage.expect([
        LiveArrival(
          source: player.id, time: 0.001, packet: try packet([0xE0, 1, 2, 3], type: LivePlayer.opus),
          sequence: Int64(index), timestamp: Int64(index % 400) * 100, segment: 0)
      ])
    }
    stage.run(until: 1)
    #expect(stage.statistics(player).refused >= 4_000)
  }
}
