import Music
import TestSupport
import Testing

@testable import Recording

/// A checkpoint of a render that is a second behind the music.
@Suite struct NearCheckpointTests {
  @Test func theRestIsRenderedFromThereOnAndIsTheSame() throws {
    let players = [("ada", 0.002), ("bob", 0.001)].map { name, jitter in
      var player = VirtualPlayer(name)
      player.settings = OpusEncoder.Settings(channels: 1, bitrate: 64_000, complexity: 0)
      player.signal.isStereo = false
      player.end = 18
      player.link.jitter = .uniform(jitter)
      return player
    }
    let cut = try PowerCut(try VirtualTake(players, length: 18), heard: 17.5)
    let (rendered, continuedAt) = try cut.restarted()
    // With every second that comes, a checkpoint if two and a half were rendered since the last.
    #expect(try #require(continuedAt).seconds > 13.5)
    try cut.expectTheSame(rendered)
  }
}
