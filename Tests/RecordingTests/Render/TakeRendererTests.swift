import Music
import Recording
import Testing
import TestSupport

@Suite struct RollingRenderTests {
  /// Renders a take in memory.
  private func render(_ take: VirtualTake, options: RenderOptions = RenderOptions()) throws -> (RollingRender, RenderedSound, Int) {
    let sound = RenderedSound()
    let render = RollingRender(header: take.header, options: options, sink: sound)
    for frame in take.frames { try render.handle(frame) }
    let length = try render.finish()
    return (render, sound, Int(length.samples))
  }

  @Test func aTrackLiesWhereItWasPlayed() throws {
    var player = VirtualPlayer()
    player.drift = 80
    player.end = 7.5
    player.link = VirtualLink(delay: 0.03, jitter: .uniform(0.005), loss: 0.1)
    let clock = ContinuousClock()
    var t0 = clock.now
    let take = try VirtualTake([player], length: 8)
    print("encode", clock.now - t0); t0 = clock.now
    let (render, sound, length) = try render(take)
    print("render", clock.now - t0); t0 = clock.now
    #expect(length == 8 * 48_000)
    let track = sound.plane(1)
    #expect(track.count == length)
    for start in [48_000, 144_000, 288_000] {
      let match = CrossCorrelation.align(Array(track[start..<(start + 48_000)]), to: player.played(from: start, count: 48_000), maximumLag: 4_800)
      print(match as Any)
    }
    print("align", clock.now - t0)
    print(render.notes)
  }
}
