import Machines
import Music
import TestSupport
import Testing

@testable import Recording

/// How far behind the music the render is: near where nothing is missing and nothing can move, by the whole window elsewhere.
@Suite struct RenderDistanceTests {
  /// The journal's time and the distance of the render behind it, in seconds, after every frame.
  private typealias Distances = [(time: Double, distance: Double)]

  private func player(_ name: String = "ada", _ change: (inout VirtualPlayer) -> Void = { _ in }) -> VirtualPlayer {
    var player = VirtualPlayer(name)
    player.settings = OpusEncoder.Settings(channels: 1, bitrate: 64_000, complexity: 0)
    player.signal.isStereo = false
    player.signal.tempo = 8
    player.end = 22
    player.link.jitter = .uniform(0.002)
    change(&player)
    return player
  }

  private func follow(
    _ players: [VirtualPlayer], length: Double = 22, patience: Double = 0,
    options: RenderOptions = RenderOptions(makesMix: false), extra: [JournalFrame] = [],
    change: ([JournalFrame]) -> [JournalFrame] = { $0 }
  ) throws -> (track: TrackRender, sound: RenderedSound, distances: Distances) {
    let take = try VirtualTake(players, length: length, patience: patience, extra: extra)
    let sound = RenderedSound()
    let render = RollingRender(header: take.header, options: options, sink: sound)
    var distances: Distances = []
    for frame in change(take.frames) {
      try render.handle(frame)
      let time = (frame.time - take.header.zero).seconds
      distances.append((time, time - Double(render.rendered) / 48_000))
    }
    #expect(try render.finish().samples == Int64(length * 48_000))
    return (render.tracks[0], sound, distances)
  }

  /// Half a second of `player` from `time` on is in its place, within a millisecond.
  private func expect(_ player: VirtualPlayer, in sound: [Float], from time: Double) throws {
    let start = Int(time * 48_000)
    let match = try #require(
      CrossCorrelation.align(
        Array(sound[start..<start + 24_000]), to: player.played(from: start, count: 24_000), maximumLag: 2_400))
    #expect(abs(match.lag) < 48 && match.coefficient > 0.9, "\(match)")
  }

  private func greatest(_ distances: Distances, _ span: ClosedRange<Double>) -> Double {
    distances.filter { span.contains($0.time) }.map(\.distance).max() ?? .infinity
  }

  private func least(_ distances: Distances, _ span: ClosedRange<Double>) -> Double {
    distances.filter { span.contains($0.time) }.map(\.distance).min() ?? 0
  }

  /// The packet that arrived first behind `time` comes `late` seconds later, or never.
  private func delaying(_ time: Double, by late: Double?) -> ([JournalFrame]) -> [JournalFrame] {
    { frames in
      var frames = frames
      let start = VirtualTake.time(time)
      let isMeant = { (frame: JournalFrame) in if case .rtp = frame { frame.time >= start } else { false } }
      guard let index = frames.firstIndex(where: isMeant), case .rtp(let track, let time, let packet) = frames[index]
      else { return frames }
      frames.remove(at: index)
      guard let late else { return frames }
      let arrival = time + .nanoseconds(Int64(late * 1e9))
      let place = frames.firstIndex { $0.time > arrival } ?? frames.count
      frames.insert(.rtp(track: track, arrival: arrival, packet: packet), at: place)
      return frames
    }
  }

  @Test(arguments: [0.0, 100, -100]) func whereNothingIsMissingItIsASecondBehind(drift: Double) throws {
    let (track, _, distances) = try follow([player { $0.drift = drift }, player("bob") { $0.start = 0.7 }])
    // The first seconds show where a stream lies and how its clock runs.
    #expect(least(distances, 4...11) > 3.9)
    #expect(greatest(distances, 18...21.9) < 1.2)
    #expect(least(distances, 18...21.9) >= 1)
    #expect(track.gaps.isEmpty)
  }

  @Test func aMissingPacketIsWaitedForAsLongAsItMayCome() throws {
    let (track, _, distances) = try follow([player()], change: delaying(17, by: 3.7))
    #expect(greatest(distances, 16...17.9) < 1.2)
    #expect(greatest(distances, 20...20.65) > 3.5)
    #expect(greatest(distances, 20.9...21.9) < 1.2)
    #expect(track.gaps.isEmpty)
    #expect(track.statistics.lostPackets == 0 && track.statistics.latePackets == 0)
    #expect(track.statistics.recoveredPackets == 1)
  }

  @Test func aPacketThatNeverComesIsAGapAfterTheWindow() throws {
    let (track, _, distances) = try follow([player()], change: delaying(16, by: nil))
    #expect(greatest(distances, 19...19.9) > 3)
    #expect(greatest(distances, 20.5...21.9) < 1.2)
    #expect(track.gaps.map(\.cause) == [.loss])
    #expect(track.statistics.lostPackets == 1)
  }

  @Test func aCopyIsNotThePacket() throws {
    let ada = player { $0.sendsRedundancy = true }
    let (track, _, distances) = try follow([ada], change: delaying(17, by: 3.7))
    #expect(greatest(distances, 20...20.65) > 3.5)
    #expect(track.gaps.isEmpty && track.statistics.latePackets == 0)
  }

  /// A request that crossed the packet's own arrival is answered all the same.
  @Test func whatIsSentAgainNeedlesslyIsNotLate() throws {
    let (track, _, _) = try follow([player()]) { frames in
      let again = delaying(17, by: 2.5)(frames)
      let original = frames.filter { frame in !again.contains { $0.time == frame.time } }
      return (again + original).enumerated()
        .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }
    #expect(track.statistics.duplicatePackets == 1 && track.statistics.latePackets == 0)
    #expect(track.gaps.isEmpty)
  }

  /// Everything behind a drop is late, and only the next reports show why: until then the sound can still be moved.
  @Test func whatMayHaveBeenLeftOutIsWaitedFor() throws {
    let ada = player {
      $0.events = [.stall(at: 15, length: 0.5)]
      ($0.sendsReports, $0.end) = (false, 34)
    }
    let (track, sound, distances) = try follow([ada], length: 34)
    #expect(greatest(distances, 14...14.9) < 1.2)
    #expect(greatest(distances, 16...18.4) > 2)
    let gap = try #require(track.gaps.first)
    #expect(track.gaps.count == 1 && gap.cause == .captureStall)
    #expect(abs(gap.start.seconds - 15) < 0.05 && abs(gap.length.seconds - 0.5) < 0.05, "\(gap)")
    // What came right behind it is in its place.
    try expect(ada, in: sound.plane(1), from: 15.6)
  }

  @Test func anEncoderThatPausesIsWaitedFor() throws {
    let ada = player {
      $0.settings = .init(channels: 1, bitrate: 32_000, complexity: 0, isVoice: true, isDiscontinuous: true)
      $0.events = [.mute(at: 15, length: 3)]
    }
    let (track, _, distances) = try follow([ada])
    #expect(greatest(distances, 17...18) > 2.5)
    #expect(track.gaps.isEmpty)
  }

  @Test func whoLeavesHoldsNobodyUpAndWhoComesIsHeardFromTheBeginning() throws {
    let bob = player("bob") { $0.end = 14 }
    let cy = player("cy") { ($0.start, $0.end, $0.link.jitter) = (20, 26, .uniform(0.000_5)) }
    let left = VirtualTake.time(14.1)
    let (_, sound, distances) = try follow(
      [player { $0.end = 26 }, bob, cy], length: 26, extra: [.trackClosed(track: 2, at: left)])
    #expect(greatest(distances, 15...18) > 3)
    #expect(greatest(distances, 18.5...20) < 1.2)
    // Where the new one lies is found with the usual time.
    #expect(least(distances, 24...26) > 3.9)
    try expect(cy, in: sound.plane(3), from: 20.1)
  }

  /// Everybody has left, and the take has ended; the journal says so when nothing more is awaited.
  @Test func whereNobodyPlaysNothingIsRenderedAhead() throws {
    let (_, _, distances) = try follow([player { $0.end = 14 }]) { frames in
      frames.filter { $0.time < VirtualTake.time(14.1) } + [.trackClosed(track: 1, at: VirtualTake.time(14.1))]
        + (15...21).map { .wallClock(at: VirtualTake.time(Double($0)), WallTime(milliseconds: 1_795_000_000_000)) }
        + [.end(at: VirtualTake.time(22), .sessionEnded)]
    }
    #expect(least(distances, 19...21.9) >= 4)
  }

  /// The take's end, as the journal says it when somebody stops it.
  private func stopping(at time: Double) -> [JournalFrame] {
    [.ending(at: VirtualTake.time(time), end: VirtualTake.time(time))]
  }

  @Test func aStoppedTakeIsRenderedWhileItsLastPacketsAreAwaited() throws {
    let players = [player(), player("bob") { $0.start = 0.7 }]
    let (track, sound, distances) = try follow(players, length: 20, patience: 0.25, extra: stopping(at: 20))
    let before = try follow(players, length: 20, patience: 0.25).distances
    #expect(try #require(distances.last).distance < 0.01)
    #expect(try #require(before.last).distance > 0.7)
    #expect(track.gaps.isEmpty)
    for (index, player) in players.enumerated() { try expect(player, in: sound.plane(index + 1), from: 19.5) }
  }

  /// Nothing comes after the last one has left, nor does the journal say that they have before it ends.
  @Test func aTakeThatEverybodyLeftIsRenderedWhileItsLastPacketsAreAwaited() throws {
    let players = [player { $0.end = 20 }, player("bob") { $0.end = 20 }]
    func leaving(_ frames: [JournalFrame]) -> [JournalFrame] {
      var frames = frames
      frames.insert(contentsOf: (1...2).map { .trackClosed(track: $0, at: VirtualTake.time(20)) }, at: frames.count - 1)
      return frames
    }
    let (track, sound, distances) = try follow(players, length: 20.1, extra: stopping(at: 20.05), change: leaving)
    let before = try follow(players, length: 20.1, change: leaving).distances
    #expect(try #require(distances.last).distance < 0.3)
    #expect(try #require(before.last).distance > 0.9)
    #expect(track.gaps.isEmpty)
    for (index, player) in players.enumerated() { try expect(player, in: sound.plane(index + 1), from: 19.45) }
  }

  @Test func whatIsMissingAtTheEndIsWaitedFor() throws {
    let recovered = try follow(
      [player()], length: 20, patience: 0.6, extra: stopping(at: 20), change: delaying(19.5, by: 0.9))
    #expect(recovered.track.gaps.isEmpty && recovered.track.statistics.latePackets == 0)
    #expect(recovered.track.statistics.recoveredPackets == 1)
    let lost = try follow(
      [player()], length: 20, patience: 0.6, extra: stopping(at: 20), change: delaying(19.5, by: nil))
    #expect(try #require(lost.distances.last).distance > 0.4)
    #expect(lost.track.gaps.map(\.cause) == [.loss])
  }

  @Test func whoComesJustBeforeTheEndIsHeardFromTheBeginning() throws {
    let cy = player("cy") { ($0.start, $0.link.jitter) = (19.4, .uniform(0.000_5)) }
    let (_, sound, _) = try follow([player(), cy], length: 20, patience: 0.25, extra: stopping(at: 20))
    try expect(cy, in: sound.plane(2), from: 19.45)
  }

  @Test func hindsightIsNeverNear() throws {
    let options = RenderOptions(makesMix: false).withHindsight
    let (_, _, distances) = try follow([player { $0.end = 26 }], length: 26, options: options)
    #expect(least(distances, 21...25.9) >= 20)
    let stopped = try follow([player()], length: 20, patience: 0.25, options: options, extra: stopping(at: 20))
    #expect(try #require(stopped.distances.last).distance > 19)
  }

  /// What three seconds more would have shown of the clock makes no place and no bound better by what can be heard.
  @Test(arguments: [0.001, 0.004, 0.01], [0.0, 80])
  func beingNearMakesNoPlaceWorse(jitter: Double, drift: Double) throws {
    for seed in 1...3 as ClosedRange<UInt64> {
      var musician = FaultyMusician(drift: drift, jitter: jitter)
      musician.seed = seed
      var far = RenderOptions(makesMix: false)
      far.leastWindow = far.window
      let (near, usual) = (try musician.record(), try musician.record(far))
      #expect(near.errors.count == usual.errors.count)
      for start in [14.0, 20, 32, 50] {
        #expect(near.greatestError(from: start) < usual.greatestError(from: start) + 0.25)
      }
      let times = Array(stride(from: 1.0, to: 79, by: 1))
      let more = times.reduce(0) { $0 + near.bound(at: $1) - usual.bound(at: $1) } / Double(times.count)
      #expect(more < 0.25)
    }
  }
}
