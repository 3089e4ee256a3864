/// A file of nothing but samples: little-endian, 24 bits, channel after channel.
package final class PCMFile: SoundSource {
  package let channels: Int
  package let rate: Int
  package let frameCount: Int64
  private let descriptor: Descriptor
  private let path: String

  /// Opens the file `name` in `folder`; part of a frame at its end is left out.
  package init(_ name: String, in folder: TakeFolder, channels: Int, rate: Int) throws(FileProblem) {
    path = folder.label(name)
    descriptor = try folder.open(name)
    (self.channels, self.rate) = (max(1, channels), rate)
    frameCount = try descriptor.length(path: path) / Int64(max(1, channels) * PCMFile.sampleBytes)
  }

  private static let sampleBytes = 3
  private static let scale = 1 / Float(1 << 31)

  package func read(from first: Int64, frames: Int) throws -> [Float] {
    let size = channels * PCMFile.sampleBytes
    let bytes = try descriptor.read(at: first * Int64(size), count: frames * size, path: path)
    let count = bytes.count / PCMFile.sampleBytes
    return [Float](unsafeUninitializedCapacity: frames * channels) { samples, filled in
      filled = samples.count
      bytes.withUnsafeBufferPointer { bytes in
        for index in 0..<min(count, samples.count) {
          let place = index &* 3
          let value =
            UInt32(bytes[place]) << 8 | UInt32(bytes[place &+ 1]) << 16 | UInt32(bytes[place &+ 2]) << 24
          samples[index] = Float(Int32(bitPattern: value)) * PCMFile.scale
        }
      }
      // The file became shorter meanwhile.
      for index in min(count, samples.count)..<samples.count { samples[index] = 0 }
    }
  }
}
