import Music

/// The output file of a mix, written on its own thread: sample rate conversion, rounding, encoding and hashing.
///
/// An output released before `finish()` removes its unfinished file.
final class MixOutput {
  private let queue = BlockQueue()
  private let encoding: Encoding
  private let thread: WorkerThread

  /// - Parameters:
  ///   - writer: used by nothing else from now on.
  ///   - rate: sample rate of the file, in Hz.
  init(_ writer: SoundFileWriter, format: ExportFormat, rate: Int) {
    let encoding = Encoding(writer, format: format, rate: rate)
    self.encoding = encoding
    let queue = queue
    thread = WorkerThread("export-encode") { encoding.run(queue) }
  }

  deinit {
    queue.stop()
    thread.join()
  }

  /// Queues interleaved stereo at 48 kHz.
  /// - Throws: `FileProblem` from the encoding thread.
  func write(_ block: [Float]) throws {
    _ = try queue.put(block)
  }

  /// Waits for the remaining blocks; the file then has its final name.
  /// - Throws: `FileProblem`.
  func finish() throws -> FinishedFile {
    queue.end()
    thread.join()
    return try encoding.result.get()
  }

  /// The state of the encoding thread.
  ///
  /// Sendable because only that thread accesses it until it has been joined.
  private final class Encoding: @unchecked Sendable {
    /// Released at the end of the thread, so that no unfinished file exists after joining it.
    private var writer: SoundFileWriter?
    private var converter: RateConverter?
    private var dither: Dither?
    private var rounded: [Int16] = []
    private(set) var result: Result<FinishedFile, any Error>

    init(_ writer: SoundFileWriter, format: ExportFormat, rate: Int) {
      self.writer = writer
      if rate != Int(SamplePosition.rate) { converter = RateConverter(rate: rate) }
      if format.needsDither { dither = Dither() }
      result = .failure(
        FileProblem(path: writer.name, operation: .write, code: 0, detail: "its export was stopped"))
    }

    func run(_ queue: BlockQueue) {
      defer { writer = nil }
      do {
        while let block = try queue.next() {
          try block.withUnsafeBufferPointer { block in
            if let converted = converter?.take(block) {
              try converted.withUnsafeBufferPointer { try store($0) }
            } else {
              try store(block)
            }
          }
        }
        guard queue.isComplete else { return }
        if let rest = converter?.finish() { try rest.withUnsafeBufferPointer { try store($0) } }
        if let file = try writer?.finish() { result = .success(file) }
      } catch {
        result = .failure(error)
        queue.stop(error)
      }
    }

    private func store(_ samples: UnsafeBufferPointer<Float>) throws(FileProblem) {
      guard var dither else {
        try writer?.write(samples)
        return
      }
      if rounded.count < samples.count { rounded = [Int16](repeating: 0, count: samples.count) }
      var problem: FileProblem?
      rounded.withUnsafeMutableBufferPointer { rounded in
        dither.quantize(samples, into: rounded)
        do throws(FileProblem) {
          try writer?.write(UnsafeBufferPointer(rebasing: rounded.prefix(samples.count)))
        } catch {
          problem = error
        }
      }
      self.dither = dither
      if let problem { throw problem }
    }
  }
}
