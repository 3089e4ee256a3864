import CSndFile
import Glibc

/// Writes one sound file of a take, hashed on the way, under its `.part` name until it is complete.
///
/// Used from one thread at a time. A writer released without `finish()` removes its unfinished file.
package final class SoundFileWriter {
  package let name: String
  package let channels: Int
  /// Frames (one sample of every channel) written so far.
  package private(set) var frameCount: Int64 = 0
  private let output: OutputFile
  private let sink: SoundFileSink
  private var handle: OpaquePointer?

  /// FLAC's compression level from 0 (fast) to 1 (small): level 5 costs a third of level 8 and comes within 1 % of
  /// it.
  package static let compression = 0.5

  /// Creates the file `name` in `folder`.
  package convenience init(
    _ name: String, in folder: TakeFolder, format: SoundFileFormat = .flac24, channels: Int, rate: Int = 48_000,
    tags: SoundFileTags = SoundFileTags()
  ) throws(FileProblem) {
    try self.init(
      name, in: folder, shape: SoundFileShape(code: format.code, channels: channels, rate: rate, tags: tags))
  }

  init(_ name: String, in folder: TakeFolder, shape: SoundFileShape) throws(FileProblem) {
    let output = try OutputFile(name, in: folder)
    self.output = output
    sink = SoundFileSink(output, oggSerial: shape.oggSerial)
    self.name = name
    channels = shape.channels
    var head = SF_INFO()
    head.samplerate = Int32(clamping: shape.rate)
    head.channels = Int32(clamping: shape.channels)
    head.format = shape.code
    var calls = SoundFileCalls.writing
    // The callbacks borrow `sink`, which lives as long as this writer; the handle is closed first.
    handle = sf_open_virtual(&calls, Int32(SFM_WRITE), &head, Unmanaged.passUnretained(sink).toOpaque())
    guard let handle else {
      output.abandon()
      throw output.problem
        ?? FileProblem(
          path: output.path, operation: .create, code: 0, detail: SoundFileCalls.complaint(nil))
    }
    guard shape.apply(to: handle) else {
      // Closed here, so `deinit` must not close it again.
      let detail = SoundFileCalls.complaint(handle)
      sf_close(handle)
      self.handle = nil
      output.abandon()
      throw FileProblem(path: output.path, operation: .create, code: 0, detail: detail)
    }
  }

  deinit {
    guard let handle else { return }
    sf_close(handle)
    output.abandon()
  }

  /// Writes interleaved samples (full scale is ±1; larger values are clipped, NaN becomes silence).
  package func write(_ samples: [Float]) throws(FileProblem) {
    var problem: FileProblem?
    samples.withUnsafeBufferPointer { samples in
      do throws(FileProblem) { try write(samples) } catch { problem = error }
    }
    if let problem { throw problem }
  }

  /// Writes interleaved samples; their count must be a multiple of the number of channels.
  package func write(_ samples: UnsafeBufferPointer<Float>) throws(FileProblem) {
    guard let handle, samples.count % channels == 0 else {
      throw FileProblem(
        path: output.path, operation: .write, code: EINVAL,
        detail: handle == nil ? "it is finished" : "\(samples.count) samples are not frames of \(channels)")
    }
    guard !samples.isEmpty else { return }
    if SoundFileWriter.areFinite(samples) {
      try write(samples, to: handle)
    } else {
      let cleaned = samples.map { $0.isNaN ? 0 : min(max($0, -1), 1) }
      var problem: FileProblem?
      cleaned.withUnsafeBufferPointer { samples in
        do throws(FileProblem) { try write(samples, to: handle) } catch { problem = error }
      }
      if let problem { throw problem }
    }
  }

  private func write(_ samples: UnsafeBufferPointer<Float>, to handle: OpaquePointer) throws(FileProblem) {
    guard let base = samples.baseAddress else { return }
    try check(sf_writef_float(handle, base, sf_count_t(samples.count / channels)), of: samples.count, handle)
  }

  /// Counts `written` frames, which must be all of `samples`.
  private func check(_ written: sf_count_t, of samples: Int, _ handle: OpaquePointer) throws(FileProblem) {
    frameCount += Int64(max(0, written))
    guard Int(written) == samples / channels, output.problem == nil else {
      throw output.problem
        ?? FileProblem(
          path: output.path, operation: .write, code: 0, detail: SoundFileCalls.complaint(handle))
    }
  }

  /// Writes interleaved 16-bit samples unchanged.
  package func write(_ samples: UnsafeBufferPointer<Int16>) throws(FileProblem) {
    guard let handle, samples.count % channels == 0 else {
      throw FileProblem(
        path: output.path, operation: .write, code: EINVAL,
        detail: handle == nil ? "it is finished" : "\(samples.count) samples are not frames of \(channels)")
    }
    guard let base = samples.baseAddress, !samples.isEmpty else { return }
    try check(sf_writef_short(handle, base, sf_count_t(samples.count / channels)), of: samples.count, handle)
  }

  /// Closes the file, syncs it and gives it its name; `TakeFolder.synchronize()` makes the name durable.
  ///
  /// An empty file gets one frame of silence, because libsndfile leaves a FLAC file without frames empty, and no
  /// player opens that.
  package func finish() throws(FileProblem) -> FinishedFile {
    guard let handle else {
      throw FileProblem(path: output.path, operation: .write, code: EINVAL, detail: "it is finished")
    }
    if frameCount == 0 { try write([Float](repeating: 0, count: channels)) }
    self.handle = nil
    let result = sf_close(handle)
    do throws(FileProblem) {
      guard result == 0 else {
        throw output.problem
          ?? FileProblem(
            path: output.path, operation: .write, code: 0, detail: String(cString: sf_error_number(result)))
      }
      sink.flush()
      let (size, digest) = try output.finish()
      return FinishedFile(name: name, size: size, digest: digest)
    } catch {
      output.abandon()
      throw error
    }
  }

  /// True if no sample is infinite or NaN: x − x is 0 for all others.
  private static func areFinite(_ samples: UnsafeBufferPointer<Float>) -> Bool {
    var sum: Float = 0
    for sample in samples { sum += sample - sample }
    return sum == 0
  }
}
