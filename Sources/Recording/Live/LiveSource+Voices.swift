import Machines

extension LiveSource {
  /// The state of the buffer and the packet counters.
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
    .microseconds(Int64(saturating: min(max(seconds * 1e6, -1e15), 1e15).rounded(.towardZero)))
  }

  private static func add(_ voice: LiveVoice, to statistics: inout LiveSourceStatistics) {
    guard let decoder = voice.decoder else { return }
    statistics.decoded += max(0, voice.decoded - decoder.undecodablePackets)
    statistics.garbage += decoder.undecodablePackets
    statistics.recovered += decoder.repairedByFEC
    statistics.concealedFrames += decoder.concealedSamples
  }

  /// Adds the counters of a voice that has ended.
  mutating func retire(_ voice: LiveVoice) {
    LiveSource.add(voice, to: &counts)
  }

  /// Fades out the current voice.
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

  /// Discards current voices and waiting packets after a jump of the mix's time line.
  mutating func cut() {
    if let voice { retire(voice) }
    if let ending { retire(ending) }
    (voice, ending, origin, lateSince) = (nil, nil, nil, nil)
  }

  /// Fades out, then ends.
  mutating func leave() {
    isLeaving = true
    (stream, former) = (nil, nil)
    endVoice()
  }

  /// Restarts with a packet unrelated to anything before it.
  mutating func begin(with timestamp: Int64, at arrival: MonotonicTime) {
    if voice != nil { counts.restarts += 1 }
    endVoice()
    origin = Origin(arrival: arrival, timestamp: timestamp)
    jitter = JitterDelay(limits)
    pace = PlayoutPace()
    lateSince = nil
    voice = LiveVoice(delay: limits.start)
  }

  /// Continues with the same packets, but with another `delay` (in seconds).
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

/// The playout rate that keeps a source's buffer at its target, although the sender's clock drifts and the target
/// moves.
///
/// The rate changes smoothly, by at most half a percent (a twelfth of a semitone). Constant drift is learned.
struct PlayoutPace: Sendable {
  /// Maximum difference from the sender's rate.
  static let greatest = 0.005
  /// Rate change per second of error if the delay is too short and sound is at risk.
  private static let up = 0.25
  /// Rate change per second of error if the delay is too long.
  private static let down = 0.1
  /// Drift learned per second from an error of one second: critically damped together with `down`.
  private static let learning = 0.002_5
  /// Larger errors, in seconds, come from a moved target and say nothing about the clocks.
  private static let teaching = 0.01
  /// Largest drift of a sound card, as a fraction.
  private static let greatestDrift = 0.001
  /// Change of rate per second: full range in half a second.
  private static let slew = 0.01

  /// Samples of the source per sample of the mix.
  private(set) var step = 1.0
  private var drift = 0.0

  /// Returns the step for the next `interval` seconds; `error` is the missing delay, in seconds.
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
