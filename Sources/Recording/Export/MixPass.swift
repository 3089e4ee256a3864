import Music

/// One pass through a take's files, block by block, so that an hour needs no more memory than a minute.
///
/// Each track is decoded on its own thread; the caller's thread mixes.
struct MixPass {
  /// Frames per block: 320 ms, a multiple of the render's block, which the limiter of the take's own mix also used.
  private static let block = RollingRender.block * 16

  let folder: TakeFolder
  let plan: MixPlan

  /// Mixes the whole plan.
  ///
  /// - Parameters:
  ///   - gain: gain of the sum, in dB.
  ///   - ceiling: ceiling of the limiter, in dBTP; nil for no limiter.
  ///   - progress: receives the fraction done, 0 to 1; may throw to stop.
  ///   - body: receives interleaved stereo.
  func run(
    gain: Double, ceiling: Double?, progress: (Double) throws -> Void, _ body: ([Float]) throws -> Void
  ) throws {
    let warmUp = plan.start - plan.first
    let latency = ceiling == nil || plan.isFinishedMix ? 0 : Mixer.latency
    let all = warmUp + plan.length + Int64(latency)
    let blocks = (all + Int64(MixPass.block) - 1) / Int64(MixPass.block)
    let feeds = try plan.sources.map { source in
      let track: any BlockSource =
        source.backings.isEmpty
        ? try ShiftedTrack(source.file, in: folder, start: source.start, from: plan.first)
        : BackingLine(source.backings, from: plan.first)
      return TrackFeed(track, blocks: blocks, frames: MixPass.block)
    }
    // The take's own mix already includes its gains.
    let base = plan.isFinishedMix ? 0 : Mixer.defaultDecibels + gain
    var strips = zip(plan.sources, feeds).map {
      ChannelStrip($0.channel, channels: $1.channels, gain: base + $0.restore)
    }
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

/// Sound that is read block by block.
protocol BlockSource: Sendable {
  var channels: Int { get }
  /// Returns exactly `frames` interleaved frames.
  func next(frames: Int) throws -> [Float]
}

/// A track decoded on its own thread while others are mixed.
final class TrackFeed {
  let channels: Int
  private let queue = BlockQueue()
  private let thread: WorkerThread

  /// Reads `blocks` blocks of `frames` frames.
  init(_ track: any BlockSource, blocks: Int64, frames: Int) {
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

  /// Returns the next block; nil after the last one.
  func next() throws -> [Float]? { try queue.next() }
}

/// Reads the samples of a finished sound file block by block from any position of a time line, with silence outside
/// it.
///
/// Sendable because one thread at a time uses it: it is created on one and handed to the one that reads.
final class ShiftedTrack: BlockSource, @unchecked Sendable {
  let channels: Int
  private let reader: SoundFileReader
  /// Frames of silence still to come before the file's first frame.
  private var silence: Int64

  /// - Parameters:
  ///   - file: the file in `folder`.
  ///   - start: frame of the time line at which the file begins.
  ///   - first: frame of the time line at which reading begins.
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

  /// Returns exactly `frames` interleaved frames.
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
