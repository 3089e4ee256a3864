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
