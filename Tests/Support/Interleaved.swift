/// Samples with the number of their channels.
package struct Interleaved: Equatable {
  package var samples: [Float]
  package var channels: Int

  package init(samples: [Float], channels: Int) {
    self.samples = samples
    self.channels = channels
  }

  /// One channel of it.
  package func plane(_ channel: Int = 0) -> [Float] {
    stride(from: channel, to: samples.count, by: channels).map { samples[$0] }
  }
}
