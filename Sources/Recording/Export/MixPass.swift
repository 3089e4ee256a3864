import Music

/// One way through a take's files: block by block, so that an hour costs no more memory than a minute.
///
/// Each track is decoded by a thread of its own; the caller's thread mixes.
struct MixPass {
  /// Frames of a block: 320 ms, a multiple of the render's block, in which the limiter saw the take's own mix.
  private static let block = RollingRender.block * 16

  let folder: TakeFolder
  let plan: MixPlan

  /// Mixes all of the plan.
  ///
  /// - Parameters:
  ///   - gain: of the sum, in dB.
  ///   - ceiling: the limiter's, in dBTP; nil for no limiter.
  ///   - progress: told the part that is done, 0 to 1; may throw to stop.
  ///   - body: gets interleaved stereo.
  func run(
    gain: Double, ceiling: Double?, progress: (Double) throws -> Void, _ body: ([Float]) throws -> Void
  ) throws {
    let warmUp = plan.start - plan.first
    let latency = ceiling == nil || plan.isFinishedMix ? 0 : Mixer.latency
    let all = warmUp + plan.length + Int64(latency)
    let blocks = (all + Int64(MixPass.block) - 1) / Int64(MixPass.block)
    let feeds = try plan.sources.map { source in
      TrackFeed(
        try ShiftedTrack(source.file, in: folder, start: source.start, from: plan.first), blocks: blocks,
        frames: MixPass.block)
    }
    // The take's own mix has its gains already.
    let base = plan.isFinishedMix ? 0 : Mixer.defaultDecibels + gain
    var strips = zip(plan.sources, feeds).map { ChannelStrip($0.channel, channels: $1.channels, gain: base) }
    var mixer = Mixer(frames: MixPass.block, ceiling: ceiling ?? Mixer.ceiling)
    var toSkip = warmUp + Int64(latency)
    var done: Int64 = 0
    while done < plan.length {
      for (index, feed) in feeds.enumerated() {
        guard let samples = try feed.next() else { continue }
        samples.withUnsafeBufferPointer { strips[index].add($0, to: &mixer) }
      }
      var block: [Float] = []
      let take = { (samples: UnsafeBufferPointer<Float>) in
        let skipped = min(toSkip, Int64(samples.count / 2))
        toSkip -= skipped
        let frames = min(Int64(samples.count / 2) - skipped, plan.length - done)
        block = Array(samples[Int(skipped) * 2..<Int(skipped + frames) * 2])
      }
      if latency == 0 { mixer.sum(take) } else { mixer.process(take) }
      guard !block.isEmpty else { continue }
      block.withUnsafeMutableBufferPointer { plan.fade.apply(to: $0, from: done) }
      done += Int64(block.count / 2)
      try body(block)
      try progress(Double(done) / Double(plan.length))
    }
  }
}

/// A track that is decoded by a thread of its own while others mix.
final class TrackFeed {
  let channels: Int
  private let queue = BlockQueue()
  private let thread: WorkerThread

  /// Reads `blocks` blocks of `frames` frames.
  init(_ track: ShiftedTrack, blocks: Int64, frames: Int) {
    channels = track.channels
    let queue = queue
    thread = WorkerThread("export-decode") {
      do {
        for _ in 0..<blocks {
          guard try queue.put(try track.next(frames: frames)) else { return }
        }
        queue.end()
      } catch {
        queue.end(error)
      }
    }
  }

  deinit {
    queue.stop()
    thread.join()
  }

  /// The next block; nil behind the last one.
  func next() throws -> [Float]? { try queue.next() }
}

/// A finished sound file's samples block by block from any place of a time line on; before its beginning and after its
/// end there is silence.
///
/// Sendable because it is used from one thread at a time: made by one, then handed to the one that reads.
final class ShiftedTrack: @unchecked Sendable {
  let channels: Int
  private let reader: SoundFileReader
  /// Frames of silence that are still to come before the file's.
  private var silence: Int64

  /// - Parameters:
  ///   - file: the file in `folder`.
  ///   - start: frame of the time line at which the file begins.
  ///   - first: frame of the time line from which on it is read.
  /// - Throws: `FileProblem`, `ExportProblem.wrongRate`.
  init(_ file: String, in folder: TakeFolder, start: Int64, from first: Int64) throws {
    reader = try SoundFileReader(file, in: folder)
    guard reader.rate == Int(SamplePosition.rate) else {
      throw ExportProblem.wrongRate(file: folder.label(file), rate: reader.rate)
    }
    channels = reader.channels
    silence = max(0, start - first)
    if first > start { try reader.seek(to: min(first - start, reader.frameCount)) }
  }

  /// The next `frames` frames, interleaved, always as many as asked for.
  func next(frames: Int) throws(FileProblem) -> [Float] {
    let quiet = Int(min(silence, Int64(frames)))
    silence -= Int64(quiet)
    if quiet == 0 {
      let samples = try reader.read(frames: frames)
      if samples.count == frames * channels { return samples }
      return samples + [Float](repeating: 0, count: frames * channels - samples.count)
    }
    var samples = [Float](repeating: 0, count: quiet * channels)
    samples += try reader.read(frames: frames - quiet)
    samples += [Float](repeating: 0, count: frames * channels - samples.count)
    return samples
  }
}
