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
    channels = (0..<count).map { channel in
      stride(from: channel, to: samples.count, by: count).map { samples[$0] }
    }
  }
}
