import Music
import TestSupport

@testable import Recording

/// A take rendered in memory, with what is needed to look at it.
struct TakeRehearsal {
  let take: VirtualTake
  let players: [VirtualPlayer]
  let render: RollingRender
  let sound = RenderedSound()
  let length: Int

  init(
    _ players: [VirtualPlayer], length: Double, patience: Double = 0,
    options: RenderOptions = RenderOptions(makesMix: false)
  ) throws {
    self.players = players
    take = try VirtualTake(players, length: length, patience: patience)
    render = RollingRender(header: take.header, options: options, sink: sound)
    for frame in take.frames { try render.handle(frame) }
    self.length = Int(try render.finish().samples)
  }

  /// Where a track's sound between two instants (seconds) lies against what was played then, in samples.
  func lag(
    _ track: Int = 1, from start: Double, to end: Double, channel: Int = 0, recorded channelOfFile: Int? = nil
  ) -> CrossCorrelation.Match? {
    let (start, end) = (Int(start * 48_000), Int(end * 48_000))
    guard let recorded = sound.plane(track, channel: channelOfFile ?? channel, in: start..<end) else { return nil }
    let played = players[track - 1].played(from: start, count: end - start, channel: channel)
    return CrossCorrelation.align(recorded, to: played, maximumLag: 2_400)
  }
}
