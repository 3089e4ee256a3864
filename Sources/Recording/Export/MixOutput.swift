import Music

/// The file that a mix goes into, written by a thread of its own: rate, rounding, encoding and hashing.
///
/// It removes its unfinished file where it goes away before `finish()`.
final class MixOutput {
  private let queue = BlockQueue()
  private let encoding: Encoding
  private let thread: WorkerThread

  /// - Parameters:
  ///   - writer: nobody else uses it any more.
  ///   - rate: the file's, in Hz.
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

  /// Hands interleaved stereo at 48 kHz over.
  /// - Throws: `FileProblem` that the encoding met.
  func write(_ block: [Float]) throws {
    _ = try queue.put(block)
  }

  /// Waits for the rest; the file has its name then.
  /// - Throws: `FileProblem`.
  func finish() throws -> FinishedFile {
    queue.end()
    thread.join()
    return try encoding.result.get()
  }

  /// What the thread works with.
  ///
  /// Sendable because only the thread touches it, until it has ended and been waited for.
  private final class Encoding: @unchecked Sendable {
    /// Gone with the thread's end, so that whoever has waited for that finds no unfinished file.
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
