import Glibc
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
    encoding.abandon()
  }

  /// Queues interleaved stereo at 48 kHz.
  /// - Throws: `FileProblem` from the encoding thread.
  func write(_ block: [Float]) throws {
    _ = try queue.put(block)
  }

  /// Waits for the remaining blocks; the file then has its final name.
  ///
  /// - Parameter readings: those of the whole mix, for the formats that hold them.
  /// - Throws: `FileProblem`.
  func finish(_ readings: MixReadings) throws -> FinishedFile {
    queue.end()
    thread.join()
    return try encoding.finish(readings)
  }

  /// The state of the encoding thread.
  ///
  /// Sendable because only that thread accesses it until it has been joined.
  private final class Encoding: @unchecked Sendable {
    /// Nil once the file is finished or removed.
    private var writer: SoundFileWriter?
    private var converter: RateConverter?
    private var dither: Dither?
    private var rounded: [Int16] = []
    /// The reason why there will be no file; nil once every block has been written.
    private var problem: (any Error)?

    init(_ writer: SoundFileWriter, format: ExportFormat, rate: Int) {
      self.writer = writer
      if rate != Int(SamplePosition.rate) { converter = RateConverter(rate: rate) }
      if format.needsDither { dither = Dither() }
      problem = FileProblem(path: writer.name, operation: .write, code: 0, detail: "its export was stopped")
    }

    func run(_ queue: BlockQueue) {
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
        problem = nil
      } catch {
        problem = error
        queue.stop(error)
      }
    }

    func finish(_ readings: MixReadings) throws -> FinishedFile {
      defer { abandon() }
      if let problem { throw problem }
      guard let writer else { throw FileProblem(path: "", operation: .write, code: EINVAL) }
      try writer.stamp(loudness: readings.integrated, truePeak: readings.truePeak)
      return try writer.finish()
    }

    /// Removes a file that is not finished.
    func abandon() { writer = nil }

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
