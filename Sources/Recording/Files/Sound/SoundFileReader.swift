import CLinux
import CSndFile
import Glibc
import Music

/// Reads a sound file of a take. Used from one thread at a time.
package final class SoundFileReader {
  package let channels: Int
  /// Sample rate, in Hz.
  package let rate: Int
  /// Frames (one sample of every channel) in the file.
  package let frameCount: Int64
  private let path: String
  private var handle: OpaquePointer
  private let descriptor: Descriptor

  /// Opens the file `name` in `folder`.
  package convenience init(_ name: String, in folder: TakeFolder) throws(FileProblem) {
    try self.init(try folder.open(name), path: folder.label(name))
  }

  /// Opens a copy of a file in memory.
  package convenience init(copying bytes: [UInt8]) throws(FileProblem) {
    let path = "a sound file in memory"
    try self.init(Descriptor(copying: bytes, path: path), path: path)
  }

  /// - Parameter path: name of the file in error messages.
  private init(_ descriptor: Descriptor, path: String) throws(FileProblem) {
    (self.descriptor, self.path) = (descriptor, path)
    var shape = SF_INFO()
    guard let handle = SoundFileCalls.open(descriptor, mode: Int32(SFM_READ), &shape) else {
      throw FileProblem(path: path, operation: .read, code: 0, detail: SoundFileCalls.complaint(nil))
    }
    self.handle = handle
    channels = max(1, Int(shape.channels))
    rate = Int(shape.samplerate)
    frameCount = Int64(shape.frames)
    // A FLAC file written to a pipe does not contain its length; libsndfile then reports 2^63 - 1.
    guard rate > 0, (0...SamplePosition.permitted.upperBound).contains(frameCount) else {
      throw FileProblem(
        path: path, operation: .read, code: 0,
        detail: "it says that it has \(frameCount) frames at \(rate) Hz, and has to say how long it is")
    }
  }

  deinit {
    sf_close(handle)
  }

  /// Returns the next frames as interleaved samples, at most `frames` of them; empty at the end.
  package func read(frames: Int) throws(FileProblem) -> [Float] {
    let wanted = max(0, frames)
    let samples = [Float](unsafeUninitializedCapacity: wanted * channels) { buffer, filled in
      guard let base = buffer.baseAddress else { return }
      filled = Int(max(0, sf_readf_float(handle, base, sf_count_t(wanted)))) * channels
    }
    guard sf_error(handle) == 0 else {
      throw FileProblem(path: path, operation: .read, code: 0, detail: SoundFileCalls.complaint(handle))
    }
    return samples
  }

  /// As `read(frames:)`, but with every bit of the file's integers, left-justified in 32 bits.
  package func readIntegers(frames: Int) throws(FileProblem) -> [Int32] {
    let wanted = max(0, frames)
    let samples = [Int32](unsafeUninitializedCapacity: wanted * channels) { buffer, filled in
      guard let base = buffer.baseAddress else { return }
      filled = Int(max(0, sf_readf_int(handle, base, sf_count_t(wanted)))) * channels
    }
    guard sf_error(handle) == 0 else {
      throw FileProblem(path: path, operation: .read, code: 0, detail: SoundFileCalls.complaint(handle))
    }
    return samples
  }

  /// Seeks to `frame`, counted from the beginning of the file.
  package func seek(to frame: Int64) throws(FileProblem) {
    if sf_seek(handle, sf_count_t(frame), Int32(SEEK_SET)) == frame { return }
    guard (0...frameCount).contains(frame) else {
      throw FileProblem(path: path, operation: .read, code: 0, detail: "there is no frame \(frame)")
    }
    for distance in SoundFileReader.runUps {
      let start = max(0, frame &- distance)
      try reopen()
      guard start == 0 || sf_seek(handle, sf_count_t(start), Int32(SEEK_SET)) == start else { continue }
      return try skip(frame &- start)
    }
  }

  /// How far before a place to begin reading, in frames, where libFLAC cannot seek to it. Once in some 16 MB, music looks like
  /// the header of a frame; version 1.4.2 takes it for one when it searches, fails, and finds nothing any more. One that
  /// reads does not search. The last is the beginning of any file.
  private static let runUps: [Int64] = [1 << 15, 1 << 18, .max]

  private func reopen() throws(FileProblem) {
    var shape = SF_INFO()
    guard lseek(descriptor.raw, 0, SEEK_SET) == 0,
      let fresh = SoundFileCalls.open(descriptor, mode: Int32(SFM_READ), &shape)
    else {
      throw FileProblem(path: path, operation: .read, code: 0, detail: SoundFileCalls.complaint(nil))
    }
    sf_close(handle)
    handle = fresh
  }

  private func skip(_ frames: Int64) throws(FileProblem) {
    var left = frames
    while left > 0 {
      let read = try readIntegers(frames: Int(min(left, 1 << 15)))
      guard !read.isEmpty else {
        throw FileProblem(path: path, operation: .read, code: 0, detail: "it ends \(left) frames too early")
      }
      left -= Int64(read.count / channels)
    }
  }

  /// The `bext` chunk of a broadcast WAV file; nil for others.
  var broadcastInfo: SF_BROADCAST_INFO? {
    var chunk = SF_BROADCAST_INFO()
    let size = Int32(MemoryLayout<SF_BROADCAST_INFO>.size)
    return sf_command(handle, Int32(SFC_GET_BROADCAST_INFO), &chunk, size) == SF_TRUE ? chunk : nil
  }

  /// The file's metadata.
  package var tags: SoundFileTags {
    func text(_ code: Int) -> String { sf_get_string(handle, Int32(code)).map { String(cString: $0) } ?? "" }
    return SoundFileTags(
      title: text(Int(SF_STR_TITLE)), artist: text(Int(SF_STR_ARTIST)), album: text(Int(SF_STR_ALBUM)),
      trackNumber: Int(text(Int(SF_STR_TRACKNUMBER))), comment: text(Int(SF_STR_COMMENT)),
      date: text(Int(SF_STR_DATE)), software: text(Int(SF_STR_SOFTWARE)))
  }
}

/// A stretch of a take's sound file as a separate FLAC file in memory.
///
/// Samples are passed on as 24-bit integers, so every bit is preserved; players join the stretches again.
package enum SoundFileStretch {
  /// FLAC's fastest level: a stretch is played once, immediately; it is 4 % larger for a third of the CPU time.
  private static let compression = 0.0

  /// Returns a FLAC file with a range of the samples of `reader`'s file.
  /// - Parameter range: frames of that file, not empty; frames beyond its end are left out.
  /// - Throws: `FileProblem`, also if `range` begins beyond the end of the file.
  package static func flac(_ range: Range<Int64>, of reader: SoundFileReader) throws(FileProblem) -> [UInt8] {
    try reader.seek(to: range.lowerBound)
    let samples = try reader.readIntegers(frames: range.count)
    let label = "a stretch of sound"
    let memory = try Descriptor.retrying(label, .create) { jamjar_memory_file(label) }.map(Descriptor.init(owning:))
    var head = SF_INFO()
    head.samplerate = Int32(clamping: reader.rate)
    head.channels = Int32(clamping: reader.channels)
    head.format = SoundFileFormat.flac24.code
    guard let handle = SoundFileCalls.open(memory, mode: Int32(SFM_WRITE), &head) else {
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
