import Machines
import TestSupport
import Testing

@testable import Recording

/// A mix that begins while musicians play knows how their packets arrive.
@Suite struct LiveMixHistoryTests {
  /// When the mix begins, in seconds.
  private static let begin = 3.0

  /// Packets of 20 ms that an AAC decoder makes: each comes with the frame of 1,024 samples that completes it.
  private func arrivals(of player: LivePlayer) throws -> [LiveArrival] {
    var random = SeededRandom(19)
    let frame = 1_024.0 / 48_000
    return try player.arrivals().map { arrival in
      let end = Double((arrival.sequence + 1) * 960) / 48_000
      var changed = arrival
      changed.time = (end / frame - 1e-9).rounded(.up) * frame + random.unit() * 0.001
      return changed
    }
  }

  private func stage(_ player: LivePlayer, knows: Bool, changing: (inout LiveArrival) -> Void = { _ in }) throws
    -> LiveStage
  {
    let all = try arrivals(of: player)
    var history = LiveHistory()
    for arrival in all where arrival.time < LiveMixHistoryTests.begin { history.add(arrival.received) }
    let stage = try LiveStage([], outputs: [.everybody])
    stage.mixer.add(player.id, after: knows ? history : nil)
    stage.expect(
      all.filter { $0.time >= LiveMixHistoryTests.begin }.map {
        var arrival = $0
        changing(&arrival)
        return arrival
      })
    return stage
  }

  private var player: LivePlayer {
    var player = LivePlayer(1)
    player.length = 12
    return player
  }

  @Test func aKnownMusicianIsHeardEarlierAndWithoutAHole() throws {
    let musician = player
    let (known, unknown) = (try stage(musician, knows: true), try stage(musician, knows: false))
    for stage in [known, unknown] { stage.run(until: 6) }
    let delays: [Double] = [known, unknown].map { $0.statistics(musician).delay.milliseconds }
    print("delay above the quickest packet: \(delays) ms")
    // The packets are up to 21.3 ms apart from even; a stranger is given 40 at least.
    #expect(delays[0] < 30)
    #expect(delays[1] > 38)
    known.run(until: 11.5)
    let statistics = known.statistics(musician)
    #expect(statistics.late == 0 && statistics.concealedFrames == 0 && statistics.restarts == 0)
    let heard = try known.heard().between(LiveMixHistoryTests.begin + 0.2, 11.4)
    #expect(abs(heard.level(of: 1_000) + 12) < 0.3)
  }

  @Test func whatIsKnownOfAnotherStreamCountsForNothing() throws {
    let musician = player
    let other = try stage(musician, knows: true) { $0.segment = 1 }
    let jump = try stage(musician, knows: true) { $0.timestamp += 480_000 }
    for stage in [other, jump] {
      stage.run(until: 6)
      #expect(stage.statistics(musician).delay.milliseconds > 38)
      #expect(stage.statistics(musician).concealedFrames == 0)
    }
  }

  @Test func aPauseEndsWhatIsKnown() throws {
    let musician = player
    let all = try arrivals(of: musician)
    var history = LiveHistory()
    for arrival in all.prefix(50) { history.add(arrival.received) }
    let next = try #require(all.dropFirst(50).first).received
    #expect(history.position(of: next) != nil)
    let late = try #require(all.first { $0.time > 4 }).received
    #expect(history.position(of: late) == nil)
    history.add(late)
    #expect(history.position(of: next) == nil)
  }
}
