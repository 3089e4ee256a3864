import Glibc
import Music

/// Writes the sound files of a project and reports progress.
final class MediaWriter {
  /// Frames converted at a time: one second.
  private static let block: Int64 = 48_000

  private let folder: TakeFolder
  private let plan: ProjectPlan
  private let progress: (Double) throws -> Void
  private let total: Double
  private var done = 0.0

  init(folder: TakeFolder, contents: ProjectContents, progress: @escaping (Double) throws -> Void) {
    self.folder = folder
    self.progress = progress
    plan = contents.plan
    total = Double(max(1, contents.media.count))
  }

  /// Writes one file into `target`.
  func write(_ media: ProjectMedia, in target: TakeFolder) throws -> ExportedProject.File {
    let before = done
    defer { done = before + 1 }
    let tell = { [progress, total] (part: Double) throws in try progress((before + part) / total) }
    try tell(0)
    switch media.form {
    case .copy:
      return try copy(media, to: target, tell)
    case .made(let format, let start, let first, let frames):
      return try convert(media, format, start: start, first: first, frames: frames, in: target, tell)
    }
  }

  private func copy(
    _ media: ProjectMedia, to target: TakeFolder, _ tell: (Double) throws -> Void
  ) throws -> ExportedProject.File {
    ExportedProject.File(
      name: media.name, size: try target.copy(media.source, of: folder, as: media.name, progress: tell))
  }

  private func convert(
    _ media: ProjectMedia, _ format: ExportFormat, start: Int64, first: Int64, frames: Int64, in target: TakeFolder,
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
    let isWritten = bytes.withUnsafeBytes { output.write($0) }
    guard isWritten else {
      output.abandon()
      throw output.problem ?? FileProblem(path: output.path, operation: .write, code: EIO)
    }
    return ExportedProject.File(name: name, size: try output.finish().size)
  }
}
