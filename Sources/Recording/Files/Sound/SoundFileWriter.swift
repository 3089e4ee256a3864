import CSndFile
import Glibc

/// Writes one sound file of a take, hashed on the way, under a name of its own until it is complete.
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
  /// The samples after FLAC's last whole frame; nil if the file will not be continued.
  private var pending: [Float]?
  /// The tags of a file of plain samples that can be continued; nil for any other.
  private var plainTags: SoundFileTags?
  private let shape: SoundFileShape
  /// The time stamp of broadcast WAV.
  private let stamp: BroadcastStamp?

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

  convenience init(_ name: String, in folder: TakeFolder, shape: SoundFileShape) throws(FileProblem) {
    let output = try OutputFile(name, in: folder, replaces: shape.replaces)
    try self.init(name, sink: SoundFileSink(output, head: shape.head, oggSerial: shape.oggSerial), shape: shape)
  }

  private init(_ name: String, sink: SoundFileSink, shape: SoundFileShape) throws(FileProblem) {
    let output = sink.file
    self.output = output
    self.sink = sink
    self.name = name
    stamp = shape.stamp
    self.shape = shape
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
    pending?.append(contentsOf: samples)
    dropWritten()
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
    // A checkpoint holds no integers.
    (pending, plainTags) = (nil, nil)
    try check(sf_writef_short(handle, base, sf_count_t(samples.count / channels)), of: samples.count, handle)
  }

  /// Enters levels that are known only after the last sample into the time stamp, if the file has one.
  func stamp(loudness: Double?, truePeak: Double?) throws(FileProblem) {
    guard let handle, var stamp else { return }
    (stamp.loudness, stamp.truePeak) = (loudness, truePeak)
    guard stamp.apply(to: handle) else {
      throw output.problem
        ?? FileProblem(path: output.path, operation: .write, code: 0, detail: SoundFileCalls.complaint(handle))
    }
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
    sink.prepareForClosing()
    let result = sf_close(handle)
    do throws(FileProblem) {
      guard result == 0 else {
        throw output.problem
          ?? FileProblem(
            path: output.path, operation: .write, code: 0, detail: String(cString: sf_error_number(result)))
      }
      sink.flush()
      guard sink.complete(samples: frameCount) else {
        throw output.problem ?? FileProblem(path: output.path, operation: .write, code: EIO)
      }
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

/// Checkpoints.
extension SoundFileWriter {
  /// What is in an unfinished file, and what a FLAC encoder still held back.
  struct Part: Sendable, Codable {
    var file: OutputPart
    var progress = FLACProgress()
    /// The interleaved samples after the last whole frame.
    var pending = Packed<Float>()
    /// Of a file of plain samples.
    var plain: PlainPart?
  }

  /// The content of an unfinished file of plain samples.
  struct PlainPart: Sendable, Codable {
    /// Samples per channel.
    var frames: Int64
    /// They determine the header's length, and are written again with its lengths.
    var tags: SoundFileTags
  }

  /// Maximum number of samples kept; FLAC's largest frame has 65,535.
  private static let greatestRest = 262_144

  /// Keeps from here on what a checkpoint needs. To be called before the first sample.
  func prepareForCheckpoints() {
    guard frameCount == 0 else { return }
    if shape.code == SoundFileFormat.wav24.code { plainTags = shape.tags } else { pending = [] }
  }

  /// Syncs the file and describes it; nil if it cannot be continued.
  /// - Throws: `FileProblem`; the file must then be made anew.
  func part() throws(FileProblem) -> Part? {
    if let plainTags {
      // libsndfile passes plain samples on at once.
      guard frameCount > 0, let file = try output.synchronized() else { return nil }
      return Part(file: file, plain: PlainPart(frames: frameCount, tags: plainTags))
    }
    guard let pending, sink.progress.isRegular, sink.progress.frames > 0, let file = try output.synchronized() else {
      return nil
    }
    return Part(file: file, progress: sink.progress, pending: Packed(pending))
  }

  /// Continues the file `name` of an interrupted process after the last sample written to it.
  /// - Throws: `FileProblem` if the file is not as `part` says.
  convenience init(
    continuing part: Part, of name: String, in folder: TakeFolder, format: SoundFileFormat, channels: Int
  ) throws(FileProblem) {
    if let plain = part.plain {
      try self.init(plain: plain, of: part.file, name, in: folder, format: format, channels: channels)
    } else {
      try self.init(flac: part, name, in: folder, format: format, channels: channels)
    }
  }

  /// libsndfile begins a file of the same header, which is left out, and goes on behind the samples.
  private convenience init(
    plain: PlainPart, of part: OutputPart, _ name: String, in folder: TakeFolder, format: SoundFileFormat,
    channels: Int
  ) throws(FileProblem) {
    let output = try OutputFile(continuing: part, of: name, in: folder)
    let sink = SoundFileSink(continuing: output)
    try self.init(
      name, sink: sink, shape: SoundFileShape(code: format.code, channels: channels, rate: 48_000, tags: plain.tags))
    // The header has its full length only with the tags, and only a second one counts the samples behind that.
    for _ in 1...2 { sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0) }
    sink.showAll()
    sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
    guard sf_seek(handle, sf_count_t(plain.frames), Int32(SEEK_SET)) == sf_count_t(plain.frames),
      sink.position == output.length
    else {
      throw FileProblem(
        path: output.path, operation: .open, code: 0,
        detail: "\(plain.frames) samples and their header are not \(output.length) bytes")
    }
    frameCount = plain.frames
    plainTags = plain.tags
  }

  private convenience init(
    flac part: Part, _ name: String, in folder: TakeFolder, format: SoundFileFormat, channels: Int
  ) throws(FileProblem) {
    let output = try OutputFile(continuing: part.file, of: name, in: folder)
    // The tags are in the file.
    try self.init(
      name, sink: SoundFileSink(output, after: part.progress),
      shape: SoundFileShape(code: format.code, channels: channels, rate: 48_000))
    frameCount = part.progress.samples
    pending = []
    try write(part.pending.values)
  }

  /// Forgets the samples that are in whole frames.
  private func dropWritten() {
    guard let count = pending?.count else { return }
    let held = count / channels
    let written = Int(clamping: Int64(held) - (frameCount - sink.progress.samples))
    if written > 0 { pending?.removeFirst(min(written, held) * channels) }
    // An encoder that writes otherwise than expected must not fill the memory.
    if !sink.progress.isRegular || held - written > SoundFileWriter.greatestRest { pending = nil }
  }
}
