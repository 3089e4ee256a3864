import Machines
import Music
import TestSupport
import Testing

@testable import Recording

@Suite struct DiscontinuityTests {
  private func player(_ change: (inout VirtualPlayer) -> Void = { _ in }) -> VirtualPlayer {
    var player = VirtualPlayer()
    player.settings = OpusEncoder.Settings(channels: 1, bitrate: 64_000, complexity: 0)
    player.signal.isStereo = false
    player.signal.tempo = 8
    player.end = 9
    change(&player)
    return player
  }

  @Test func aReconnectWithOtherNumbersGoesOnOnTheSameTrack() throws {
    let rehearsal = try TakeRehearsal(
      [
        player {
          $0.events = [.outage(at: 3, length: 1), .reconnect(at: 3.9)]
          $0.link.repair = 0
        }
      ], length: 9)
    let before = try #require(rehearsal.lag(from: 2, to: 2.5))
    let after = try #require(rehearsal.lag(from: 7, to: 7.5))
    #expect(abs(before.lag) < 48 && abs(after.lag) < 48, "\(before) \(after)")
    #expect(after.coefficient > 0.95)
    let gap = try #require(rehearsal.render.tracks[0].gaps.first)
    #expect(rehearsal.render.tracks[0].gaps.count == 1)
    #expect(gap.cause == .disconnected)
    #expect(abs(gap.start.seconds - 3) < 0.1)
    #expect(abs(gap.length.seconds - 1) < 0.1)
  }

  @Test func anOutageLeavesAGapOfItsLength() throws {
    let rehearsal = try TakeRehearsal([player { $0.events = [.outage(at: 3, length: 2)] }], length: 9)
    let gap = try #require(rehearsal.render.tracks[0].gaps.first)
    #expect(rehearsal.render.tracks[0].gaps.count == 1)
    #expect(gap.cause == .disconnected)
    #expect(abs(gap.start.seconds - 3) < 0.1)
    #expect(abs(gap.length.seconds - 2) < 0.1)
    let after = try #require(rehearsal.lag(from: 7, to: 7.5))
    #expect(abs(after.lag) < 48 && after.coefficient > 0.95, "\(after)")
  }

  @Test func aMicrophoneThatStoodStillLeavesSilenceAndTheRestInPlace() throws {
    let rehearsal = try TakeRehearsal(
      [
        player {
          $0.events = [.stall(at: 4, length: 0.6)]
          $0.link.jitter = .uniform(0.005)
        }
      ], length: 9)
    let before = try #require(rehearsal.lag(from: 3, to: 3.5))
    let after = try #require(rehearsal.lag(from: 7, to: 7.5))
    #expect(abs(before.lag) < 144 && abs(after.lag) < 144, "\(before) \(after)")
    let gap = try #require(rehearsal.render.tracks[0].gaps.first)
    #expect(gap.cause == .captureStall)
    #expect(abs(gap.length.seconds - 0.6) < 0.05, "\(gap)")
  }

  @Test func timeThatRunsOnWithoutPacketsIsAStallToo() throws {
    let rehearsal = try TakeRehearsal([player { $0.events = [.silence(at: 4, length: 0.5)] }], length: 9)
    let gap = try #require(rehearsal.render.tracks[0].gaps.first)
    #expect(rehearsal.render.tracks[0].gaps.count == 1)
    #expect(gap.cause == .captureStall)
    #expect(abs(gap.length.seconds - 0.5) < 0.05)
    let after = try #require(rehearsal.lag(from: 7, to: 7.5))
    #expect(abs(after.lag) < 3)
  }

  @Test func whoComesLateBeginsWithSilence() throws {
    let players = [player(), player { ($0.name, $0.start) = ("bob", 6) }]
    let rehearsal = try TakeRehearsal(players, length: 9, options: RenderOptions())
    let late = rehearsal.sound.plane(2)
    #expect(late.count == rehearsal.length)
    #expect(late.prefix(6 * 48_000 - 480).allSatisfy { $0 == 0 })
    let match = try #require(rehearsal.lag(2, from: 7.5, to: 8))
    #expect(abs(match.lag) < 48)
    #expect(rehearsal.sound.mix.count == rehearsal.length * 2)
    #expect(rehearsal.render.tracks.allSatisfy { $0.gaps.isEmpty })
  }

  @Test func whatTheRecorderCouldNotWriteIsItsOwnFault() throws {
    let take = try VirtualTake([player { $0.end = 4 }], length: 4)
    let render = RollingRender(
      header: take.header, options: RenderOptions(makesMix: false), sink: RenderedSound())
    let stuck = VirtualTake.time(2)...VirtualTake.time(2.6)
    for frame in take.frames where !stuck.contains(frame.time) {
      if frame.time > stuck.upperBound, render.notes.isEmpty {
        try render.handle(.degraded(at: stuck.upperBound, reason: "the disk is full", lostBytes: 5_000))
      }
      try render.handle(frame)
    }
    _ = try render.finish()
    let gaps = render.tracks[0].gaps
    #expect(gaps.map(\.cause) == [.recorder])
    #expect(abs((gaps.first?.length.seconds ?? 0) - 0.6) < 0.05)
  }

  @Test func aStandstillOfTheRecorderIsItsOwnFault() throws {
    let take = try VirtualTake([player { $0.end = 8 }], length: 8)
    let render = RollingRender(
      header: take.header, options: RenderOptions(makesMix: false), sink: RenderedSound())
    // What came in the first second and a half waited in the kernel's buffers, what came later found no room there.
    let lost = VirtualTake.time(3.5)...VirtualTake.time(5)
    var isTold = false
    for frame in take.frames where !lost.contains(frame.time) {
      if !isTold, frame.time >= VirtualTake.time(2) {
        try render.handle(.standstill(at: lost.upperBound, length: .seconds(3), isSuspension: false))
        isTold = true
      }
      try render.handle(frame)
    }
    _ = try render.finish()
    let gaps = render.tracks[0].gaps
    #expect(gaps.map(\.cause) == [.recorder])
    #expect(abs((gaps.first?.length.seconds ?? 0) - 1.5) < 0.05)
  }

  @Test func whoLeavesEndsWithSilenceAndNoGap() throws {
    let leaving = player { $0.end = 3 }
    let closed = JournalFrame.trackClosed(track: 1, at: VirtualTake.time(3.2))
    let take = try VirtualTake([leaving, player { $0.name = "bob" }], length: 9, extra: [closed])
    let sound = RenderedSound()
    let render = RollingRender(header: take.header, sink: sound)
    for frame in take.frames { try render.handle(frame) }
    _ = try render.finish()
    #expect(render.tracks[0].gaps.isEmpty)
    #expect(sound.plane(1).count == sound.plane(2).count)
    #expect(sound.plane(1).suffix(5 * 48_000).allSatisfy { abs($0) < 1e-3 })
  }

  /// Half a second may pass between the last sound and the report that somebody left. That nothing was lost in it nobody
  /// knows.
  @Test func silenceBeforeALeaveIsSaidToBeUnseen() throws {
    let closed = JournalFrame.trackClosed(track: 1, at: VirtualTake.time(3.45))
    let take = try VirtualTake([player { $0.end = 3 }, player { $0.name = "bob" }], length: 9, extra: [closed])
    let render = RollingRender(header: take.header, options: RenderOptions(makesMix: false), sink: RenderedSound())
    for frame in take.frames { try render.handle(frame) }
    _ = try render.finish()
    #expect(render.tracks[0].gaps.isEmpty)
    let unseen = try #require(render.tracks[0].report?.unseenDrops?.last)
    #expect(abs(unseen.end.seconds - unseen.start.seconds - 0.45) < 0.05)
  }
}
