import Machines
import Music
import Realtime

/// One musician in the live mix: converts packets to blocks of stereo at the mix's rate.
///
/// Times are in seconds and samples from the source's origin: ten seconds before the arrival and the timestamp of the
/// first packet since its last restart. Packets overtaken by that one therefore have positive times too.
struct LiveSource {
  /// The origin of times.
  struct Origin {
    let arrival: MonotonicTime
    let timestamp: Int64
    /// The first packet's time from the origin, in samples; anything older belongs to another time line.
    static let lead: Int64 = 480_000

    init(arrival: MonotonicTime, timestamp: Int64) {
      self.arrival = arrival - .seconds(Origin.lead / SamplePosition.rate)
      self.timestamp = timestamp &- Origin.lead
    }

    func seconds(_ time: MonotonicTime) -> Double { (time - arrival).seconds }
  }

  /// The identity of one of the musician's streams.
  struct Stream: Hashable {
    var ssrc: UInt32
    var segment: Int

    init(of received: ReceivedPacket) {
      (ssrc, segment) = (received.packet.header.ssrc, received.segment)
    }
  }

  /// After this time without packets, a source is idle: its decoder is released, and the next packet restarts it.
  private static let patience = MonotonicTime.Span.seconds(2)
  /// A level above this (24 dB above full scale) is not music but a harmful packet.
  private static let loudest: Float = 16

  let id: ParticipantID
  let frames: Int
  let limits: JitterDelay.Limits
  /// True while it fades out before it is removed.
  var isLeaving = false
  var voice: LiveVoice?
  /// The previous voice, which is fading out.
  var ending: LiveVoice?
  var origin: Origin?
  var stream: Stream?
  /// The previous stream, and when it ended.
  var former: (stream: Stream, left: MonotonicTime)?
  var jitter: JitterDelay
  /// What was seen of the source before the mix began, until its first packet.
  private var history: LiveHistory?
  var pace = PlayoutPace()
  /// Where the delay is led; nil until the voice is placed.
  var goal: DelayGoal?
  /// Time since which every packet has been late.
  var lateSince: MonotonicTime?
  var lastArrival: MonotonicTime?
  /// Counters of all voices except the current one.
  var counts = LiveSourceStatistics()
  private(set) var isSounding = false
  /// The last rendered block, interleaved stereo.
  private(set) var block: [Float]
  private var scratch: [Float]
  /// Delay at the last block, and the wanted delay, in seconds relative to the origin's transit.
  private(set) var delay = 0.0

  init(_ id: ParticipantID, frames: Int, limits: JitterDelay.Limits, history: LiveHistory? = nil) {
    self.id = id
    self.frames = frames
    self.limits = limits
    self.history = history
    jitter = JitterDelay(limits)
    block = [Float](repeating: 0, count: frames * 2)
    scratch = block
  }

  /// Hands out what was seen of the source before the mix began, once.
  mutating func takeHistory() -> LiveHistory? {
    defer { history = nil }
    return history
  }

  /// True once it has left and its sound has ended.
  var isGone: Bool { isLeaving && voice == nil && ending == nil }

  /// Renders the block mixed at `time`.
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

  /// Places a new voice at the wanted delay. Adjusts the rate of a former one towards it, or jumps if that would take
  /// minutes.
  private mutating func steer(at time: MonotonicTime) {
    guard let origin, let wanted = jitter.wanted, let lowest = jitter.lowest else { return }
    let now = origin.seconds(time)
    if let present = voice?.delay(frames, step: pace.step, at: now) {
      delay = present
      if jitter.isGrosslyDeep(delay) { replaceVoice() }
    }
    if voice?.position == nil {
      guard !jitter.isCatchingUp(at: now) else { return }
      voice?.place(frames, step: pace.step, at: now, delay: wanted, mayWait: jitter.isBacklog)
      delay = wanted
      guard voice?.position != nil else { return }
    }
    let interval = Double(frames) / SenderClock.rate
    var goal = goal ?? DelayGoal(excess: delay - lowest, lowest: lowest)
    let step = goal.next(
      DelayGoal.Transits(lowest: lowest, needed: jitter.needed ?? lowest, wanted: wanted, isYoung: jitter.isYoung),
      delay: delay, interval: interval)
    self.goal = goal
    _ = pace.next(error: step.delay - delay, ramp: step.ramp, interval: interval)
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

  /// True if no sample is too loud or NaN.
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
