import Foundation
import Machines
import Music
import TestSupport
import Testing

@testable import Recording

/// The pitch that listeners of a live mix hear, from a source's beginning on.
@Suite struct LiveMixPitchTests {
  /// Packets of 20 ms that an AAC decoder makes: each comes with the frame of 1,024 samples that completes it, which its
  /// sender looks for every 10 ms. What came in the first `backlog` seconds has been waiting.
  private func arrivals(of player: LivePlayer, backlog: Double) throws -> [LiveArrival] {
    var random = SeededRandom(7)
    let frame = 1_024.0 / 48_000
    var last = 0.0
    return try player.arrivals().map { arrival in
      let end = Double((arrival.sequence + 1) * 960) / 48_000
      let complete = (end / frame - 1e-9).rounded(.up) * frame
      let sent = (complete / 0.01).rounded(.up) * 0.01 + random.unit() * 0.003
      var changed = arrival
      // A packet takes a moment to encode again.
      changed.time = max(sent, backlog, last + 0.000_5)
      last = changed.time
      return changed
    }
  }

  /// How far the pitch is from `frequency` in each tenth of a second, in ppm, from the beginning of the sound on.
  private func deviations(of heard: [Float], from frequency: Double) throws -> [Double] {
    let begin = try #require(heard.firstIndex { $0.magnitude > 0.1 })
    // The fade, and the codec's start.
    let sound = Array(heard.dropFirst(begin + 1_440))
    let piece = 2_400
    var phases: [Double] = []
    for start in stride(from: 0, to: sound.count - piece, by: piece) {
      var (real, imaginary) = (0.0, 0.0)
      for index in start..<(start + piece) {
        let angle = 2 * Double.pi * frequency * Double(index) / 48_000
        // Without a window the tone's mirror image would shift the phase.
        let window = 1 - cos(2 * Double.pi * Double(index - start) / Double(piece))
        real += Double(sound[index]) * window * cos(angle)
        imaginary -= Double(sound[index]) * window * sin(angle)
      }
      phases.append(atan2(imaginary, real))
    }
    return zip(phases, phases.dropFirst(2)).map { before, after in
      let turn = (after - before).remainder(dividingBy: 2 * Double.pi)
      return turn / (2 * Double.pi) / (Double(2 * piece) / 48_000) / frequency * 1e6
    }
  }

  @Test(arguments: [0.0, 0.5, 0.9])
  func aSourceKeepsItsPitchFromItsBeginning(backlog: Double) throws {
    var player = LivePlayer(1)
    (player.settings, player.length) = (.init(channels: 2, bitrate: 256_000, complexity: 5), 12)
    let stage = try LiveStage([], outputs: [.everybody], .init(bitrate: 256_000, complexity: 5))
    stage.mixer.add(player.id)
    stage.expect(try arrivals(of: player, backlog: backlog))
    stage.run(until: 11.9)
    let statistics = stage.statistics(player)
    #expect(statistics.restarts == 0)
    #expect(statistics.concealedFrames == 0)
    let off = try deviations(of: stage.heard(), from: player.tone)
    let worst = off.map { $0.magnitude }.max() ?? .infinity
    print("backlog \(backlog) s: at most \(worst) ppm, delay \(statistics.delay.milliseconds) ms")
    #expect(off.count > 100)
    #expect(worst < 300)
  }

  /// What is heard late at first need not be heard late for ever.
  @Test func theDelayFallsSlowlyToWhatThePathNeeds() throws {
    var player = LivePlayer(1)
    (player.settings, player.length) = (.init(channels: 1, bitrate: 64_000, complexity: 0), 250)
    let stage = try LiveStage([player])
    stage.run(until: 10)
    #expect(stage.statistics(player).delay > .milliseconds(35))
    var fastest = 0.0
    stage.run(until: 249) { _ in fastest = max(fastest, stage.statistics(player).pace.magnitude) }
    #expect(stage.statistics(player).delay < .milliseconds(25))
    #expect(stage.statistics(player).concealedFrames == 0)
    #expect(fastest < 200)
  }
}
