import Glibc

/// Writes the peaks of a track or mix as it grows, in the binary format of the BBC's audiowaveform (version 2, 8
/// bit).
///
/// github.com/bbc/audiowaveform/blob/master/doc/DataFormat.md; Peaks.js and waveform-data.js read it.
package final class PeaksWriter {
  package let name: String
  private let output: OutputFile
  private var peaks: Peaks
  private let rate: Int
  private var pixelCount = 0

  /// Bytes collected before each write: 11 s of sound.
  private static let batch = 4_096
  private static let version: Int32 = 2
  /// Bit 0 of the flags: 8-bit data.
  private static let eightBit: UInt32 = 1

  /// Creates the file `name` in `folder` for samples of `channels` channels at `rate` Hz.
  package init(_ name: String, in folder: TakeFolder, channels: Int, rate: Int = 48_000) throws(FileProblem) {
    self.name = name
    self.rate = rate
    output = try OutputFile(name, in: folder)
    peaks = Peaks(channels: channels)
    try write(PeaksWriter.head(rate: rate, pixelCount: 0))
  }

  deinit {
    if !isFinished { output.abandon() }
  }

  private var isFinished = false

  /// Adds interleaved samples.
  package func write(_ samples: UnsafeBufferPointer<Float>) throws(FileProblem) {
    peaks.append(samples)
    if peaks.pixels.count >= PeaksWriter.batch { try flush() }
  }

  /// Adds interleaved samples.
  package func write(_ samples: [Float]) throws(FileProblem) {
    peaks.append(samples)
    if peaks.pixels.count >= PeaksWriter.batch { try flush() }
  }

  /// Writes the rest and the final length, syncs the file and gives it its name.
  package func finish() throws(FileProblem) -> FinishedFile {
    isFinished = true
    do throws(FileProblem) {
      peaks.finish()
      try flush()
      output.position = 0
      try write(PeaksWriter.head(rate: rate, pixelCount: pixelCount))
      let (size, digest) = try output.finish()
      return FinishedFile(name: name, size: size, digest: digest)
    } catch {
      output.abandon()
      throw error
    }
  }

  private func flush() throws(FileProblem) {
    let pixels = peaks.take()
    guard !pixels.isEmpty else { return }
    pixelCount += pixels.count / 2
    try write(pixels.map { UInt8(bitPattern: $0) })
  }

  private func write(_ bytes: [UInt8]) throws(FileProblem) {
    let isWritten = bytes.withUnsafeBytes { output.write($0) }
    guard isWritten else {
      throw output.problem ?? FileProblem(path: output.path, operation: .write, code: EIO)
    }
  }

  /// The 24 bytes before the pixels, little-endian: version, flags, rate, samples per pixel, pixels, channels.
  static func head(rate: Int, pixelCount: Int) -> [UInt8] {
    var head = JournalSink()
    head.append(version)
    head.append(eightBit)
    head.append(Int32(clamping: rate))
    head.append(Int32(Peaks.samplesPerPixel))
    head.append(UInt32(clamping: pixelCount))
    head.append(Int32(1))
    return head.bytes
  }
}
