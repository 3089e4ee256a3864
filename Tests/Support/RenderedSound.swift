import Music
import Recording

/// A rendered take in memory.
package final class RenderedSound: RenderSink {
  /// Interleaved samples by track number.
  package private(set) var tracks: [Int: [Float]] = [:]
  package private(set) var channels: [Int: Int] = [:]
  /// Interleaved stereo.
  package private(set) var mix: [Float] = []

  package init() {}

  package func open(track: Int, channels: Int, silence: Int64) {
    self.channels[track] = channels
    tracks[track] = [Float](repeating: 0, count: Int(silence) * channels)
  }

  package func write(track: Int, _ samples: UnsafeBufferPointer<Float>) {
    tracks[track]?.append(contentsOf: samples)
  }

  package func writeMix(_ samples: UnsafeBufferPointer<Float>) {
    mix.append(contentsOf: samples)
  }

  /// One channel of a track.
  package func plane(_ track: Int, channel: Int = 0) -> [Float] {
    guard let samples = tracks[track], let count = channels[track], channel < count else { return [] }
    return stride(from: channel, to: samples.count, by: count).map { samples[$0] }
  }
}
