import Music
import TestSupport
import Testing

@testable import Recording

/// Packets that come seconds late and all at once: what is in the journal is in the track, in its place.
@Suite struct HeldPacketsTests {
  private func player(_ name: String = "ada", _ change: (inout VirtualPlayer) -> Void = { _ in }) -> VirtualPlayer {
    var player = VirtualPlayer(name)
    player.settings = OpusEncoder.Settings(channels: 1, bitrate: 64_000, complexity: 0)
    player.signal.isStereo = false
    player.signal.tempo = 8
    player.end = 24
    player.link.jitter = .uniform(0.004)
    change(&player)
    return player
  }

  /// Every half second of every track is where and what was played.
  private func expectWhole(_ rehearsal: TakeRehearsal, location: SourceLocation = #_sourceLocation) throws {
    for (index, track) in rehearsal.render.tracks.enumerated() {
      #expect(track.gaps.isEmpty, "\(track.gaps)", sourceLocation: location)
      let report = try #require(track.report, sourceLocation: location)
      #expect(report.lostPackets == 0, sourceLocation: location)
      // Where nobody measured a round trip, the way through the network is in the place.
      let player = rehearsal.players[index]
      let expected = player.reportsRoundTrip ? 0 : player.link.delay * 48_000
      let misplaced = (2..<(rehearsal.length / 24_000 - 1)).map { Double($0) / 2 }.filter { start in
        guard let match = rehearsal.lag(index + 1, from: start, to: start + 0.5) else { return true }
        return abs(match.lag - expected) > 240 || match.coefficient < 0.9
      }
      #expect(misplaced.isEmpty, "track \(index + 1), seconds", sourceLocation: location)
    }
  }

  @Test(arguments: [1, 2.9, 3.5, 6, 10], [false, true])
  func aPathThatHoldsPacketsCostsNothing(length: Double, sendsReports: Bool) throws {
    let ada = player {
      $0.events = [.held(at: 6, length: length)]
      ($0.sendsReports, $0.reportsRoundTrip) = (sendsReports, sendsReports)
    }
    try expectWhole(try TakeRehearsal([ada, player("bob")], length: 24))
  }

  @Test(arguments: [5, 6.5, 10, 15])
  func aRecorderThatStoodStillHasWhatItWasSentMeanwhile(length: Double) throws {
    let stops: [VirtualPlayer.Event] = [.held(at: 6, length: length)]
    let players = [player { $0.events = stops }, player("bob") { $0.events = stops }]
    try expectWhole(try TakeRehearsal(players, length: 24))
  }

  @Test(arguments: [3.5, 5, 8])
  func aMicrophoneThatStoodStillForLongIsNotTakenForAPath(length: Double) throws {
    let rehearsal = try TakeRehearsal(
      [player { $0.events = [.stall(at: 6, length: length)] }, player("bob")], length: 24)
    let gaps = rehearsal.render.tracks[0].gaps
    let gap = try #require(gaps.first)
    #expect(gaps.count == 1 && gap.cause == .captureStall, "\(gaps)")
    #expect(abs(gap.length.seconds - length) < 0.1 && abs(gap.start.seconds - 6) < 0.1, "\(gap)")
    for start in stride(from: 6 + length + 0.5, to: 23, by: 1) {
      let match = try #require(rehearsal.lag(from: start, to: start + 0.5))
      #expect(abs(match.lag) < 240 && match.coefficient > 0.9, "at \(start) s: \(match)")
    }
  }

  /// What waited in a busy machine when the sender fell silent is late, and belongs before the pause all the same.
  @Test func whatWasHeldBeforeAPauseIsNotMovedIntoIt() throws {
    let ada = player {
      $0.events = [.stall(at: 6.85, length: 1.2), .held(at: 6.6, length: 0.55)]
      ($0.sendsReports, $0.reportsRoundTrip) = (false, false)
    }
    let rehearsal = try TakeRehearsal([ada, player("bob")], length: 24)
    let gaps = rehearsal.render.tracks[0].gaps
    let gap = try #require(gaps.first)
    #expect(gaps.count == 1 && gap.cause == .captureStall, "\(gaps)")
    #expect(abs(gap.length.seconds - 1.2) < 0.05 && abs(gap.start.seconds - 6.87) < 0.1, "\(gap)")
    let way = ada.link.delay * 48_000
    for start in [3.0, 5.5, 6.3, 8.6, 9.5, 12, 20] {
      let found = rehearsal.lag(from: start, to: start + 0.45)
      let match = try #require(found)
      #expect(abs(match.lag - way) < 240 && match.coefficient > 0.9, "at \(start) s: \(match)")
    }
  }

  @Test(arguments: [1, 2, 10, 300])
  func packetsOfAnotherSourceInBetweenCostNothing(count: Int) throws {
    let ada = player { $0.events = [.stray(at: 8, source: 0xBAD, count: count)] }
    let rehearsal = try TakeRehearsal([ada, player("bob")], length: 24)
    try expectWhole(rehearsal)
    // Nobody waits for what is not heard.
    let alone = try TakeRehearsal([player { _ in }, player("bob")], length: 24)
    let expected = [rehearsal, alone].map { $0.render.tracks[0].report?.expectedPackets }
    #expect(expected[0] != nil && expected[0] == expected[1], "\(expected)")
  }

  @Test func aPacketOfAnotherSourceBeforeTheFirstCostsNothing() throws {
    let ada = player { $0.events = [.stray(at: 0.05, source: 0xBAD, count: 1)] }
    let rehearsal = try TakeRehearsal([ada], length: 24)
    try expectWhole(rehearsal)
    #expect(rehearsal.render.tracks[0].channels == 1)
  }
}
