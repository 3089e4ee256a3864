/// A take's sound file, read in mostly consecutive stretches.
///
/// Used from one thread at a time.
package final class SoundFileSource: SoundSource {
  package let channels: Int
  package let rate: Int
  package let frameCount: Int64
  private let reader: SoundFileReader
  /// Consecutive frames in memory, starting at `first`.
  private var held: [Float] = []
  private var first: Int64 = 0
  /// The frame at which the reader continues.
  private var next: Int64 = 0

  /// Frames kept before the latest one read, since windows overlap.
  private static let kept = 131_072
  /// Distance in frames up to which reading on is used instead of seeking, which also decodes in FLAC.
  private static let skip: Int64 = 480_000
  private static let block = 48_000

  /// Opens the file `name` in `folder`.
  package init(_ name: String, in folder: TakeFolder) throws(FileProblem) {
    reader = try SoundFileReader(name, in: folder)
    (channels, rate, frameCount) = (reader.channels, reader.rate, reader.frameCount)
  }

  package func read(from start: Int64, frames: Int) throws -> [Float] {
    let end = start + Int64(frames)
    if start < first || start > next + SoundFileSource.skip {
      try reader.seek(to: start)
      (held, first, next) = ([], start, start)
    }
    while next < end {
      let samples = try reader.read(frames: max(SoundFileSource.block, Int(min(end - next, Int64(frames)))))
      guard !samples.isEmpty else { break }
      held += samples
      next += Int64(samples.count / channels)
      let surplus = Int(min(start, next) - first) - SoundFileSource.kept
      if surplus > SoundFileSource.kept {
        held.removeFirst(surplus * channels)
        first += Int64(surplus)
      }
    }
    let place = Int(start - first) * channels
    let part = Array(held[min(place, held.count)..<min(held.count, place + frames * channels)])
    return part + [Float](repeating: 0, count: frames * channels - part.count)
  }
}

/// A file of raw samples: little-endian, 24 bits, interleaved channels.
package final class PCMFile: SoundSource {
  package let channels: Int
  package let rate: Int
  package let frameCount: Int64
  private let descriptor: Descriptor
  private let path: String

  /// Opens the file `name` in `folder`; a partial frame at its end is ignored.
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
      // The file became shorter in the meantime.
      for index in min(count, samples.count)..<samples.count { samples[index] = 0 }
    }
  }
}
