import Glibc

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

/// A sound at another level: a file with headroom at its own.
package final class ScaledSource: SoundSource {
  private let source: any SoundSource
  private let factor: Float

  package init(_ source: any SoundSource, decibels: Double) {
    self.source = source
    factor = Float(pow(10, decibels / 20))
  }

  package var channels: Int { source.channels }
  package var rate: Int { source.rate }
  package var frameCount: Int64 { source.frameCount }

  package func read(from first: Int64, frames: Int) throws -> [Float] {
    let samples = try source.read(from: first, frames: frames)
    return factor == 1 ? samples : samples.map { $0 * factor }
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

  /// SHA-256 of the whole file, in hexadecimal digits.
  /// - Parameter proceed: called for every block; an error it throws ends the work.
  func fingerprint(_ proceed: () throws -> Void = {}) throws -> String {
    let sum = SHA256()
    let length = try descriptor.length(path: path)
    var place: Int64 = 0
    while place < length {
      try proceed()
      let bytes = try descriptor.read(at: place, count: Int(min(PCMFile.block, length - place)), path: path)
      guard !bytes.isEmpty else { break }
      bytes.withUnsafeBytes { sum.update($0) }
      place += Int64(bytes.count)
    }
    return sum.finish().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static let block: Int64 = 1 << 20
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
