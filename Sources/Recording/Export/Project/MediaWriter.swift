import Foundation
import Music

/// Writes the sound files of a project, several at a time, each on a thread of its own.
final class MediaWriter: Sendable {
  /// Frames converted at a time: one second.
  private static let block: Int64 = 48_000
  /// Maximum number of files at a time; each needs about a megabyte of memory.
  private static let most = 16

  private let media: [ProjectMedia]
  private let folder: TakeFolder
  private let plan: ProjectPlan
  private let target: TakeFolder
  private let board: MediaBoard

  /// - Parameters:
  ///   - media: the files to write, made from files in `folder`.
  ///   - target: the folder for them.
  init(_ media: [ProjectMedia], of folder: TakeFolder, _ plan: ProjectPlan, in target: TakeFolder) {
    self.media = media
    self.folder = folder
    self.plan = plan
    self.target = target
    board = MediaBoard(count: media.count)
  }

  /// Writes all files, once, and returns them in order.
  ///
  /// - Parameter progress: receives the fraction done on the calling thread; an error stops the work.
  /// - Throws: `FileProblem`, and errors of `progress`. Files completed by then remain.
  func run(progress: (Double) throws -> Void) throws -> [ExportedProject.File] {
    let count = min(media.count, ProcessInfo.processInfo.activeProcessorCount, MediaWriter.most)
    let threads = (0..<count).map { number in
      WorkerThread("export-media-\(number)") { [self] in work() }
    }
    defer {
      board.stop()
      for thread in threads { thread.join() }
    }
    while let part = board.news() { try progress(part) }
    return try board.files()
  }

  /// Writes files until there are no more.
  private func work() {
    while let index = board.take() {
      board.end(index, Result { try write(media[index]) { [board] in try board.tell(index, $0) } })
    }
  }

  private func write(_ media: ProjectMedia, _ tell: (Double) throws -> Void) throws -> ExportedProject.File {
    switch media.form {
    case .copy:
      return ExportedProject.File(
        name: media.name, size: try target.copy(media.source, of: folder, as: media.name, progress: tell))
    case .made(let format, let start, let first, let frames):
      return try convert(media, format, start: start, first: first, frames: frames, tell)
    }
  }

  private func convert(
    _ media: ProjectMedia, _ format: ExportFormat, start: Int64, first: Int64, frames: Int64,
    _ tell: (Double) throws -> Void
  ) throws -> ExportedProject.File {
    let name = plan.lanes.first { $0.file == media.source }?.name ?? media.source
    let (begin, length) = (SamplePosition(first), SamplePosition(frames))
    let writer = try SoundFileWriter(
      media.name, in: target, as: format, channels: media.channels, frames: frames,
      tags: SoundFileTags(
        title: plan.title, artist: name, album: plan.take.room.description, date: plan.take.startedAt.date,
        software: plan.software),
      stamp: BroadcastStamp(
        zero: plan.take.startedAt, start: begin, originator: "Jamjar",
        text: LabelTrack.line("\(name), \(plan.title), \(plan.take.room)")),
      markers: Marker.markers(of: plan.cues, start: begin, length: length))
    let reader = try SoundFileReader(media.source, in: folder)
    // Silence before the file's beginning and after its end.
    var silence = max(0, start - first)
    if first > start { try reader.seek(to: min(first - start, reader.frameCount)) }
    var left = frames
    while left > 0 {
      let count = min(left, MediaWriter.block)
      let quiet = Int(min(silence, count))
      silence -= Int64(quiet)
      var samples = [Float](repeating: 0, count: quiet * reader.channels)
      samples += try reader.read(frames: Int(count) - quiet)
      samples += [Float](repeating: 0, count: Int(count) * reader.channels - samples.count)
      try writer.write(samples)
      left -= count
      try tell(Double(frames - left) / Double(frames))
    }
    return ExportedProject.File(name: media.name, size: try writer.finish().size)
  }

  /// Writes a file whose contents are in memory.
  static func write(_ bytes: [UInt8], as name: String, in target: TakeFolder) throws(FileProblem)
    -> ExportedProject.File
  {
    let output = try OutputFile(name, in: target)
    do throws(FileProblem) {
      try output.put(bytes)
      return ExportedProject.File(name: name, size: try output.finish().size)
    } catch {
      output.abandon()
      throw error
    }
  }
}

/// The files of a `MediaWriter` that are still to be written, are being written, or are written.
///
/// Sendable because all its state is accessed only while `condition` is locked.
final class MediaBoard: @unchecked Sendable {
  private let condition = NSCondition()
  /// Index of the next file to write.
  private var next = 0
  /// The fraction done of each file.
  private var parts: [Double]
  private var results: [Result<ExportedProject.File, any Error>?]
  private var isStopped = false
  /// The last reported fraction of the whole.
  private var told = -1.0

  init(count: Int) {
    parts = [Double](repeating: 0, count: count)
    results = Array(repeating: nil, count: count)
  }

  /// Returns a file to write; nil if there are none left.
  func take() -> Int? {
    condition.withLock {
      guard !isStopped, next < parts.count else { return nil }
      defer { next += 1 }
      return next
    }
  }

  /// Notes the fraction done of a file.
  /// - Throws: `CancellationError` if the work is to stop.
  func tell(_ index: Int, _ part: Double) throws {
    try condition.withLock {
      guard !isStopped else { throw CancellationError() }
      parts[index] = max(parts[index], part)
      condition.broadcast()
    }
  }

  /// Notes a file's end; after a failure no other file is begun.
  func end(_ index: Int, _ result: Result<ExportedProject.File, any Error>) {
    condition.withLock {
      results[index] = result
      parts[index] = 1
      if case .failure = result { isStopped = true }
      condition.broadcast()
    }
  }

  func stop() {
    condition.withLock { isStopped = true }
  }

  /// Waits for progress and returns the fraction done of all files; nil once all are written or the work has stopped.
  func news() -> Double? {
    condition.withLock {
      while !isStopped {
        let done = parts.reduce(0, +) / Double(max(1, parts.count))
        if done > told {
          told = done
          return done
        }
        guard results.contains(where: { $0 == nil }) else { return nil }
        condition.wait()
      }
      return nil
    }
  }

  /// The written files.
  /// - Throws: the failure of the first file that has one.
  func files() throws -> [ExportedProject.File] {
    try condition.withLock {
      // The others were stopped because of the failure.
      for case .failure(let error) in results where !(error is CancellationError) { throw error }
      return try results.compactMap { try $0?.get() }
    }
  }
}
