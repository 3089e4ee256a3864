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
    return Interleaved(samples: samples, channels: count).plane(channel)
  }

  /// One channel of a track between two samples of the time line; nil if the track ends before.
  package func plane(_ track: Int, channel: Int = 0, in range: Range<Int>) -> [Float]? {
    guard let samples = tracks[track], let count = channels[track], channel < count,
      range.upperBound * count <= samples.count
    else { return nil }
    return range.map { samples[$0 * count + channel] }
  }
}
