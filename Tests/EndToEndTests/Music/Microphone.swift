import Foundation
import Signaling

/// A WAV file that plays as a browser's microphone, and the tune in it.
///
/// At 44,100 Hz, the fake device's own rate, so that what the page captures are the file's samples and not resampled ones.
struct Microphone: Sendable, CustomStringConvertible {
  static let rate = 44_100
  /// The device begins its file anew at the end (and loses some 200 samples there): longer than any test plays.
  static let length = 30.0

  let path: String
  let tune: Tune
  private let samples: [[Int16]]

  /// Short, because failed expectations print their values.
  var description: String { path }

  init(seed: UInt64, path: String) throws {
    self.path = path
    tune = Tune(seed: seed, length: Microphone.length)
    samples = try WaveFile.write(tune.sound(rate: Microphone.rate, seconds: 0..<Microphone.length), to: path)
  }

  /// Places what Pages/witness.js saw in the file.
  func witnessed(_ seen: JSONValue) throws -> Witnessed {
    guard let object = seen.object, object["rate"]?.integer == Int64(Microphone.rate),
      let first = object["first"]?.array?.compactMap({ $0.integer.flatMap(Int16.init(exactly:)) }),
      let times = object["times"]?.array?.compactMap(\.double),
      let frames = object["frames"]?.array?.compactMap(\.integer),
      times.count == frames.count
    else { throw EndToEndFailure("the witness saw no microphone of \(Microphone.rate) Hz: \(seen.text.prefix(300))") }
    var position = Double(try place(of: first))
    var blocks: [Witnessed.Block] = []
    for (time, count) in zip(times, frames) {
      blocks.append(.init(time: time / 1_000, origin: time / 1_000 - position / Double(Microphone.rate)))
      position += Double(count)
    }
    return Witnessed(blocks: blocks)
  }

  /// Where a block stands in the file.
  private func place(of block: [Int16]) throws -> Int {
    let channel = samples[0]
    // Leading silence would fit anywhere in silence.
    let skipped = block.firstIndex { $0 != 0 } ?? 0
    let pattern = Array(block[skipped...])
    guard pattern.count >= 8 else { throw EndToEndFailure("the witness saw a block of silence") }
    let found = (0..<max(0, channel.count - pattern.count)).first { start in
      pattern.indices.allSatisfy { abs(Int(channel[start + $0]) - Int(pattern[$0])) <= 1 }
    }
    guard let found else { throw EndToEndFailure("what the page captured is not in the file of the microphone") }
    return found - skipped
  }
}
