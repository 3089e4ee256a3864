import Foundation

/// Samples of one or two channels.
struct Sound: Sendable, CustomStringConvertible {
  /// In Hz.
  var rate: Int
  var channels: [[Float]]

  var frames: Int { channels.first?.count ?? 0 }
  /// Short, because failed expectations print their values.
  var description: String { "\(channels.count) channels of \(frames) samples at \(rate) Hz" }
  /// The first channel.
  var left: [Float] { channels.first ?? [] }
  /// The second channel, or the only one.
  var right: [Float] { channels.last ?? [] }

  init(rate: Int, channels: [[Float]]) {
    self.rate = rate
    self.channels = channels
  }

  init(rate: Int, interleaved samples: [Float], channels count: Int) {
    self.rate = rate
    let frames = samples.count / count
    channels = (0..<count).map { channel in
      [Float](unsafeUninitializedCapacity: frames) { places, length in
        samples.withUnsafeBufferPointer { samples in
          var index = 0
          while index < frames {
            places[index] = samples[index * count + channel]
            index += 1
          }
        }
        length = frames
      }
    }
  }

  /// A tone of `frequency` Hz; `levels` are the amplitudes of its channels, of which what is over full scale is cut off.
  init(toneOf frequency: Double, levels: [Double], rate: Int, seconds: Int) {
    self.rate = rate
    let frames = seconds * rate
    channels = levels.map { level in
      [Float](unsafeUninitializedCapacity: frames) { places, length in
        var index = 0
        while index < frames {
          let sample = level * sin(2 * .pi * frequency * Double(index) / Double(rate))
          places[index] = sample > 1 ? 1 : sample < -1 ? -1 : Float(sample)
          index += 1
        }
        length = frames
      }
    }
  }
}
