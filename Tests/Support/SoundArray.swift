import Recording

/// Sound in memory.
package final class SoundArray: SoundSource {
  package let samples: [Float]
  package let channels: Int
  package let rate: Int
  package var frameCount: Int64 { Int64(samples.count / channels) }

  package init(_ samples: [Float], channels: Int, rate: Int) {
    (self.samples, self.channels, self.rate) = (samples, channels, rate)
  }

  package func read(from first: Int64, frames: Int) -> [Float] {
    Array(samples[(Int(first) * channels)..<((Int(first) + frames) * channels)])
  }

  /// The samples as an upload has them: little-endian, 24 bits.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(samples.count * 3)
    for sample in samples {
      let value = Int32(max(-8_388_608, min(8_388_607, (sample * 8_388_608).rounded())))
      bytes.append(UInt8(truncatingIfNeeded: value))
      bytes.append(UInt8(truncatingIfNeeded: value >> 8))
      bytes.append(UInt8(truncatingIfNeeded: value >> 16))
    }
    return bytes
  }
}
