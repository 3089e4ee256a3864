import CLinux
import CSndFile
import Glibc

/// A stretch of a take's sound file, as a FLAC file of its own in memory.
///
/// Samples go over as whole numbers of 24 bits, so not a bit of them changes; players put stretches together again.
package enum SoundFileStretch {
  /// FLAC's least effort: a stretch is heard once, at once, and is 4 % longer for a third of the processor's time.
  private static let compression = 0.0

  /// The bytes of a FLAC file with the samples of the file that `reader` reads.
  /// - Parameter range: frames of that file, not empty; what lies behind its end is left out.
  /// - Throws: `FileProblem`, also where `range` begins behind the file's end.
  package static func flac(_ range: Range<Int64>, of reader: SoundFileReader) throws(FileProblem) -> [UInt8] {
    try reader.seek(to: range.lowerBound)
    let samples = try reader.readIntegers(frames: range.count)
    let label = "a stretch of sound"
    let memory = try Descriptor.retrying(label, .create) { jamjar_memory_file(label) }.map(Descriptor.init(owning:))
    var head = SF_INFO()
    head.samplerate = Int32(clamping: reader.rate)
    head.channels = Int32(clamping: reader.channels)
    head.format = SoundFileFormat.flac24.code
    guard let handle = sf_open_fd(memory.raw, Int32(SFM_WRITE), &head, Int32(SF_FALSE)) else {
      throw FileProblem(path: label, operation: .create, code: 0, detail: SoundFileCalls.complaint(nil))
    }
    var effort = compression
    sf_command(handle, Int32(SFC_SET_COMPRESSION_LEVEL), &effort, Int32(MemoryLayout<Double>.size))
    let frames = sf_count_t(samples.count / reader.channels)
    let written = samples.withUnsafeBufferPointer { $0.baseAddress.map { sf_writef_int(handle, $0, frames) } ?? 0 }
    let complaint = SoundFileCalls.complaint(handle)
    guard sf_close(handle) == 0, written == frames, frames > 0 else {
      throw FileProblem(path: label, operation: .write, code: 0, detail: complaint)
    }
    return try memory.read(at: 0, count: Int(clamping: try memory.length(path: label)), path: label)
  }
}
