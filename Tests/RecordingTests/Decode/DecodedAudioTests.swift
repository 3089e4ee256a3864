import Foundation
import TestSupport
import Testing

@testable import Recording

@Suite struct DecodedAudioTests {
  /// What counts, without regard to where it lies.
  private struct Model {
    var start: Int64
    var count: Int64
    var room: Int64 { 16_384 - count }

    mutating func discard(before position: Int64) {
      let drop = min(max(0, position - 64 - start), count)
      guard drop > 8_192 else { return }
      start += drop
      count -= drop
    }
  }

  private static func value(_ position: Int64, _ channel: Int) -> Float {
    position < 0 ? 0 : Float(position % 10_007 + 1) * (channel == 0 ? 1 : -1)
  }

  /// Appends the samples of their positions, of which `skipping` are not taken.
  private func append(_ count: Int64, skipping: Int64, to audio: inout DecodedAudio) {
    let first = audio.end - skipping
    let frames = (0..<count + skipping).flatMap { index in
      (0..<audio.channels).map { DecodedAudioTests.value(first + index, $0) }
    }
    frames.withUnsafeBufferPointer { audio.append($0, skipping: Int(skipping)) }
  }

  /// Packets of `length` samples at most, positions that follow them, and now and then a checkpoint or a jump.
  @Test(arguments: [1, 2], [480, 960, 5_760])
  func givesTheSamplesOfTheirPositionsWhereverTheyLie(channels: Int, length: Int64) throws {
    var random = SeededRandom(UInt64(length) + UInt64(channels))
    var audio = DecodedAudio(channels: channels, at: 0)
    var model = Model(start: -64, count: 64)
    /// Samples before it are silent, since it jumped there.
    var first: Int64 = 0
    var position: Int64 = 0
    for _ in 0..<1_000 {
      let added = min(Int64.random(in: 1...length, using: &random), audio.room)
      append(added, skipping: Int64.random(in: 0...3, using: &random), to: &audio)
      model.count += added
      position = max(position, audio.end - Int64.random(in: 0...2_000, using: &random))
      audio.discard(before: position)
      model.discard(before: position)
      if Int.random(in: 0..<100, using: &random) == 0 {
        position = audio.end + 50_000
        audio.restart(at: position)
        model = Model(start: position - 64, count: 64)
        first = position
      }
      if Int.random(in: 0..<100, using: &random) == 0 {
        audio = try JSONDecoder().decode(DecodedAudio.self, from: JSONEncoder().encode(audio))
      }
      #expect(audio.room == model.room)
      #expect(audio.end == model.start + model.count)
      #expect(audio.start <= max(model.start, position - 64), "nothing goes that is needed")
      audio.withPlanes { left, right in
        #expect(left.count == Int(audio.end - audio.start) && right.count == (channels == 1 ? 0 : left.count))
        let isRight = stride(from: 0, to: left.count, by: 29).allSatisfy { index in
          let at = audio.start + Int64(index)
          return left[index] == (at < first ? 0 : DecodedAudioTests.value(at, 0))
            && (channels == 1 || right[index] == (at < first ? 0 : DecodedAudioTests.value(at, 1)))
        }
        #expect(isRight)
      }
    }
  }
}
