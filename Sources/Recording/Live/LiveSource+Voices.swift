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
    (pace, goal) = (PlayoutPace(), nil)
    lateSince = nil
    voice = LiveVoice()
  }

  /// Begins with a packet that continues what was seen before the mix began.
  mutating func begin(with history: LiveHistory, _ limits: JitterDelay.Limits) {
    (origin, jitter) = (history.origin, history.jitter)
    jitter.limits = limits
    voice = LiveVoice()
  }

  /// Continues with the same packets, at the wanted delay.
  mutating func replaceVoice() {
    guard let old = voice else { return }
    counts.restarts += 1
    counts.concealedFrames += old.decoder?.openHole?.concealed ?? 0
    endVoice()
    (pace, goal) = (PlayoutPace(), nil)
    lateSince = nil
    voice = LiveVoice(old.store)
  }
}
