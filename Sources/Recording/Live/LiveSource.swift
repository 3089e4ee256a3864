import Machines
import Music

/// One musician in the live mix: from packets to blocks of stereo at the mix's pace.
///
/// Times are seconds and samples from the source's origin: ten seconds before the arrival and the timestamp of the first
/// packet since it last began anew, so that the packets which that one overtook have positive times too.
struct LiveSource {
  /// Where times are counted from.
  struct Origin {
    let arrival: MonotonicTime
    let timestamp: Int64
    /// The first packet's time from the origin, in samples: what is older is of another time line.
    static let lead: Int64 = 480_000

    init(arrival: MonotonicTime, timestamp: Int64) {
      self.arrival = arrival - .seconds(Origin.lead / SamplePosition.rate)
      self.timestamp = timestamp &- Origin.lead
    }

    func seconds(_ time: MonotonicTime) -> Double { (time - arrival).seconds }
  }

  /// What tells one stream of the musician's from another.
  struct Stream: Hashable {
    var ssrc: UInt32
    var segment: Int
  }

  /// Without packets for so long, a source is idle: its decoder is let go of, and what comes then is a beginning.
  private static let patience = MonotonicTime.Span.seconds(2)
  /// Louder than this (24 dB above full scale) is no music, but a packet made to hurt.
  private static let loudest: Float = 16

  let id: ParticipantID
  let frames: Int
  let limits: JitterDelay.Limits
  /// Fades out and goes.
  var isLeaving = false
  var voice: LiveVoice?
  /// The voice before, which fades out.
  var ending: LiveVoice?
  var origin: Origin?
  var stream: Stream?
  /// The stream before, and when it was left.
  var former: (stream: Stream, left: MonotonicTime)?
  var jitter: JitterDelay
  var pace = PlayoutPace()
  /// Since when every packet has been late.
  var lateSince: MonotonicTime?
  var lastArrival: MonotonicTime?
  /// Counts of all voices but the present one.
  var counts = LiveSourceStatistics()
  private(set) var isSounding = false
  /// The block that was rendered last, interleaved stereo.
  private(set) var block: [Float]
  private var scratch: [Float]
  /// Delay at the last block and what it was to be, in seconds from the origin's transit.
  private(set) var delay = 0.0

  init(_ id: ParticipantID, frames: Int, limits: JitterDelay.Limits) {
    self.id = id
    self.frames = frames
    self.limits = limits
    jitter = JitterDelay(limits)
    block = [Float](repeating: 0, count: frames * 2)
    scratch = block
  }

  /// True when it has left and nothing sounds any more.
  var isGone: Bool { isLeaving && voice == nil && ending == nil }

  /// Renders the block of the mix that is made at `time`.
  mutating func render(at time: MonotonicTime) {
    isSounding = false
    if let lastArrival, time - lastArrival > LiveSource.patience { endVoice() }
    if voice != nil { steer(at: time) }
    let step = pace.step
    let frames = frames
    block.withUnsafeMutableBufferPointer { block in
      isSounding = voice?.render(frames, step: step, into: block) ?? false
      if !isSounding { block.update(repeating: 0) }
    }
    if ending != nil { addEnding(step: step) }
    if isSounding, !isSane { block.withUnsafeMutableBufferPointer(LiveSource.tame) }
  }

  /// Bends the pace towards the wanted delay, or jumps where that would take minutes.
  private mutating func steer(at time: MonotonicTime) {
    guard let origin else { return }
    let now = origin.seconds(time)
    delay = voice?.place(frames, step: pace.step, at: now) ?? 0
    guard let wanted = jitter.wanted else { return }
    if jitter.isGrosslyDeep(delay) {
      replaceVoice(delay: wanted)
      delay = voice?.place(frames, step: pace.step, at: now) ?? 0
    } else {
      _ = pace.next(error: wanted - delay, interval: Double(frames) / SenderClock.rate)
    }
  }

  private mutating func addEnding(step: Double) {
    let frames = frames
    var sounds = false
    scratch.withUnsafeMutableBufferPointer { scratch in
      sounds = ending?.render(frames, step: step, into: scratch) ?? false
      guard sounds else { return }
      block.withUnsafeMutableBufferPointer { block in
        for index in 0..<min(block.count, scratch.count) { block[index] += scratch[index] }
      }
    }
    isSounding = isSounding || sounds
    if ending?.isOver ?? true {
      if let ending { retire(ending) }
      ending = nil
    }
  }

  /// True where no sample is too loud, or no number at all.
  private var isSane: Bool {
    block.withUnsafeBufferPointer { block in
      var probe: Float = 0
      for sample in block { probe += sample * 0 }
      return probe == 0 && SamplePeak.highest(block) <= LiveSource.loudest
    }
  }

  private static func tame(_ samples: inout UnsafeMutableBufferPointer<Float>) {
    for index in samples.indices {
      let sample = samples[index]
      samples[index] = sample.isFinite ? min(max(sample, -loudest), loudest) : 0
    }
  }
}
