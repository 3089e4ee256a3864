import Machines

extension LiveSource {
  /// How the buffer stands, and what became of the packets.
  var statistics: LiveSourceStatistics {
    var statistics = counts
    if let voice { LiveSource.add(voice, to: &statistics) }
    if let ending { LiveSource.add(ending, to: &statistics) }
    statistics.pace = (pace.step - 1) * 1e6
    guard let voice, let lowest = jitter.lowest else { return statistics }
    statistics.delay = LiveSource.span(delay - lowest)
    statistics.target = LiveSource.span((jitter.wanted ?? lowest) - lowest)
    let last = voice.store.last.map { Double($0.timestamp + $0.duration) } ?? 0
    let known = max(last, voice.store.isEmpty ? Double(voice.decoder?.audio.end ?? 0) : 0)
    statistics.depth = LiveSource.span(max(0, known - (voice.position ?? known)) / SenderClock.rate)
    return statistics
  }

  private static func span(_ seconds: Double) -> MonotonicTime.Span {
    .microseconds(Int64(min(max(seconds * 1e6, -1e15), 1e15)))
  }

  private static func add(_ voice: LiveVoice, to statistics: inout LiveSourceStatistics) {
    guard let decoder = voice.decoder else { return }
    statistics.decoded += max(0, voice.decoded - decoder.undecodablePackets)
    statistics.garbage += decoder.undecodablePackets
    statistics.recovered += decoder.repairedByFEC
    statistics.concealedFrames += decoder.concealedSamples
  }

  /// Keeps the counts of a voice that is over.
  mutating func retire(_ voice: LiveVoice) {
    LiveSource.add(voice, to: &counts)
  }

  /// Lets the present voice fade out.
  mutating func endVoice() {
    guard var old = voice else { return }
    voice = nil
    if old.isHeard {
      if let ending { retire(ending) }
      old.isEnding = true
      ending = old
    } else {
      retire(old)
    }
  }

  /// Forgets what sounds and what waits: the time line of the mix has a step here.
  mutating func cut() {
    if let voice { retire(voice) }
    if let ending { retire(ending) }
    (voice, ending, origin, lateSince) = (nil, nil, nil, nil)
  }

  /// Fades out, then is gone.
  mutating func leave() {
    isLeaving = true
    (stream, former) = (nil, nil)
    endVoice()
  }

  /// Begins anew with a packet that nothing before it has to do with.
  mutating func begin(with timestamp: Int64, at arrival: MonotonicTime) {
    if voice != nil { counts.restarts += 1 }
    endVoice()
    origin = Origin(arrival: arrival, timestamp: timestamp)
    jitter = JitterDelay(limits)
    pace = PlayoutPace()
    lateSince = nil
    voice = LiveVoice(delay: limits.start)
  }

  /// Goes on with the same packets, but `delay` seconds after their sending.
  mutating func replaceVoice(delay: Double) {
    guard let old = voice else { return }
    counts.restarts += 1
    counts.concealedFrames += old.decoder?.openHole?.concealed ?? 0
    endVoice()
    pace = PlayoutPace()
    lateSince = nil
    voice = LiveVoice(old.store, delay: delay)
  }
}

/// How fast a source is played so that its buffer stays at its target: the sender's clock drifts, and the target moves.
///
/// The pace bends smoothly and by half a percent (a twelfth of a semitone) at most. What drift there is, it learns.
struct PlayoutPace: Sendable {
  /// The most by which the pace differs from the sender's.
  static let greatest = 0.005
  /// Pace per second of error where the delay is too short: there sound is at stake.
  private static let up = 0.25
  /// Pace per second of error where the delay is too long.
  private static let down = 0.1
  /// What is learnt of an error of one second in one second: critically damped together with `down`.
  private static let learning = 0.002_5
  /// Errors beyond this are a target that moved and say nothing of the clocks, in seconds.
  private static let teaching = 0.01
  /// No sound card is further off, as a fraction.
  private static let greatestDrift = 0.001
  /// Change of pace per second: full bend in half a second.
  private static let slew = 0.01

  /// Samples of the source per sample of the mix.
  private(set) var step = 1.0
  private var drift = 0.0

  /// The step for the next `interval` seconds; `error` is how much longer the delay should be, in seconds.
  mutating func next(error: Double, interval: Double) -> Double {
    if error.magnitude < PlayoutPace.teaching {
      drift -= error * PlayoutPace.learning * interval
      drift = min(max(drift, -PlayoutPace.greatestDrift), PlayoutPace.greatestDrift)
    }
    let bend = drift - error * (error > 0 ? PlayoutPace.up : PlayoutPace.down)
    let wanted = 1 + min(max(bend, -PlayoutPace.greatest), PlayoutPace.greatest)
    let most = PlayoutPace.slew * interval
    step += min(max(wanted - step, -most), most)
    return step
  }
}
