import Testing

@testable import Server

@Suite struct FrameTimelineTests {
  /// What a decoder gives for a frame: `count` samples, since a resampler holds some back.
  private func sound(_ count: Int, rate: UInt32 = 48_000, length: UInt32 = 1_024) -> CodecMessage.Sound {
    CodecMessage.Sound(
      kind: .decoded, channels: 1, ownChannels: 1, frameLength: length, rate: rate,
      samples: [Float](repeating: 0, count: count))
  }

  @Test func samplesAreCountedThoughTimestampsAreRounded() {
    var timeline = FrameTimeline()
    let places = [100, 121, 143, 164].map { timeline.add(sound(1_024), timestamp: $0, frames: 1, priming: 0) }
    #expect(places.map { $0?.start } == [4_800, 5_824, 6_848, 7_872])
    #expect(places.map { $0?.end } == [5_824, 6_848, 7_872, 8_896])
  }

  @Test func primingIsTakenOffAtTheRateOfTheStream() {
    var timeline = FrameTimeline()
    let place = timeline.add(sound(2_048, rate: 24_000), timestamp: 0, frames: 1, priming: 1_024)
    #expect(place?.start == -2_048 && place?.end == 0)
  }

  @Test func whatTheResamplerHoldsBackMovesNothing() {
    var timeline = FrameTimeline()
    let first = timeline.add(sound(1_100, rate: 44_100), timestamp: 0, frames: 1, priming: 0)
    let second = timeline.add(sound(1_115, rate: 44_100), timestamp: 23, frames: 1, priming: 0)
    #expect(first?.start == 0 && second?.start == 1_100)
    #expect(abs((second?.end ?? 0) - 2_048 * 48_000 / 44_100) < 1e-6)
    let rest = timeline.addRest(14, priming: 0, rate: 44_100)
    #expect(rest == 2_215)
  }

  @Test func lostFramesTakeTheirTime() {
    var timeline = FrameTimeline()
    _ = timeline.add(sound(1_024), timestamp: 0, frames: 1, priming: 0)
    _ = timeline.add(sound(3_072), timestamp: nil, frames: 3, priming: 0)
    let found = timeline.add(sound(1_024), timestamp: 85, frames: 1, priming: 0)
    #expect(found?.start == 4_096)
  }

  @Test func aLongJumpIsAGap() {
    var timeline = FrameTimeline()
    _ = timeline.add(sound(1_024), timestamp: 0, frames: 1, priming: 0)
    let found = timeline.add(sound(1_024), timestamp: 5_000, frames: 1, priming: 0)
    #expect(found?.start == 240_000)
  }

  /// At 44.1 kHz frames never lie on whole milliseconds.
  @Test func aGapOfWholeFramesIsNotRounded() {
    var timeline = FrameTimeline()
    let length = 1_024 * 48_000 / 44_100.0
    _ = timeline.add(sound(1_115, rate: 44_100), timestamp: 0, frames: 1, priming: 0)
    let stamp = (100 * 1_024_000 / 44_100.0).rounded()
    let found = timeline.add(sound(1_115, rate: 44_100), timestamp: Int64(stamp), frames: 1, priming: 0)
    #expect(abs((found?.end ?? 0) - 101 * length) < 1e-6)
  }

  /// Stamps by the computer's clock, samples by the sound card's: 100 ppm for an hour.
  @Test func stampsOfAnotherClockAreNoGap() {
    var timeline = FrameTimeline()
    var place: FrameTimeline.Place?
    for frame in 0..<168_750 {
      let stamp = (Double(frame) * 64 / 3 * 1.0001).rounded()
      place = timeline.add(sound(1_024), timestamp: Int64(stamp), frames: 1, priming: 0)
    }
    #expect(abs((place?.start ?? 0) - 168_749 * 1_024) < 1)
  }

  /// An encoder whose input has dropouts: ten milliseconds every two seconds, for ten minutes.
  @Test func shortDropoutsDoNotAddUp() {
    var timeline = FrameTimeline()
    var worst = 0.0
    for frame in 0..<28_125 {
      let dropped = frame / 94 * 10
      let stamp = Int64((Double(frame) * 64 / 3).rounded()) + Int64(dropped)
      let place = timeline.add(sound(1_024), timestamp: stamp, frames: 1, priming: 0)
      let right = Double(frame + 1) * 1_024 + Double(dropped * 48)
      worst = max(worst, abs((place?.end ?? 0) - right))
    }
    // Two frames.
    #expect(worst <= 2_100, "\(worst) samples")
  }

  @Test func aTimestampThatGoesBackMovesNothing() {
    var timeline = FrameTimeline()
    _ = timeline.add(sound(1_024), timestamp: 5_000, frames: 1, priming: 0)
    let found = timeline.add(sound(1_024), timestamp: 0, frames: 1, priming: 0)
    #expect(found?.start == 241_024)
  }

  @Test func aNewWorkerGoesOnBehindWhatTheFormerOneLost() {
    var timeline = FrameTimeline()
    for frame in 0..<10 {
      _ = timeline.add(sound(1_024), timestamp: Int64(frame * 64 / 3), frames: 1, priming: 0)
    }
    timeline.restart(losing: 4, of: 1_024)
    // One that it cannot decode either, before it knows what a frame is.
    timeline.restart(losing: 1, of: 1_024)
    let found = timeline.add(sound(1_024), timestamp: 320, frames: 1, priming: 0)
    let start: Int64 = 15 * 1_024
    #expect(found?.start == start)
  }

  @Test func nothingHasATimeBeforeTheFirstDecodedFrame() {
    var timeline = FrameTimeline()
    let early = timeline.add(sound(0, rate: 0, length: 0), timestamp: 0, frames: 1, priming: 0)
    #expect(early == nil)
    let rest = timeline.addRest(0, priming: 0, rate: 0)
    #expect(rest == nil)
    let found = timeline.add(sound(1_024), timestamp: 21, frames: 1, priming: 0)
    #expect(found?.start == 1_008)
  }
}
