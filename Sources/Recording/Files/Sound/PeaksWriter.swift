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
    try output.put(PeaksWriter.head(rate: rate, pixelCount: 0))
  }

  /// What is in an unfinished file, and the pixel begun.
  struct Part: Sendable, Codable {
    var file: OutputPart
    var peaks: Peaks
    var pixelCount: Int
    var rate: Int
  }

  /// Syncs the file and describes it; nil if it cannot be continued.
  /// - Throws: `FileProblem`; the file must then be made anew.
  func part() throws(FileProblem) -> Part? {
    try flush()
    return try output.synchronized().map { Part(file: $0, peaks: peaks, pixelCount: pixelCount, rate: rate) }
  }

  /// Continues the file `name` of an interrupted process.
  /// - Throws: `FileProblem` if the file is not as `part` says.
  init(continuing part: Part, of name: String, in folder: TakeFolder) throws(FileProblem) {
    output = try OutputFile(continuing: part.file, of: name, in: folder)
    self.name = name
    (peaks, pixelCount, rate) = (part.peaks, part.pixelCount, part.rate)
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
      try output.put(PeaksWriter.head(rate: rate, pixelCount: pixelCount), at: 0)
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
    try output.put(pixels.map { UInt8(bitPattern: $0) })
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
