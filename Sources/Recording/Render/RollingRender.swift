import Machines
import Music
import Realtime

/// Renders a take from its journal's frames, a few seconds behind them: every block of 20 ms is made when the frames
/// have gone past it by the window, and never touched again.
///
/// What comes out depends on the frames and their order alone, so a render that followed the take live and one that is
/// made years later give the same samples. Used from one thread at a time.
package final class RollingRender {
  /// Samples of a block on the time line.
  static let block = 960
  /// What our own reports showed as wall clock, by which answers to them are read: the monotonic clock.
  private static let reportClock = NTPClock()
  /// Shortest pause of all frames that counts as one, in seconds: musicians send more often, and so does the recorder.
  private static let leastPause = 1.0
  /// Longest silence between two frames that is believed, in seconds: a day.
  private static let longestPause = 86_400.0

  package let header: JournalHeader
  private let options: RenderOptions
  private let sink: any RenderSink
  private var mixer = Mixer(frames: RollingRender.block)
  /// By journal number, in the order of opening.
  private(set) var tracks: [TrackRender] = []
  private var openTracks: Set<Int> = []
  /// Samples of the time line that are rendered.
  package private(set) var rendered: Int64 = 0
  /// Samples of the mix that the sink has; the limiter keeps some back.
  private var mixed: Int64 = 0
  private var latencyToDrop = Mixer.latency
  private var buffer = [Float](repeating: 0, count: RollingRender.block * 2)
  /// Journal time so far, in seconds from the take's zero.
  private(set) var now = 0.0
  /// The last time in which no frame came, of nobody: the recorder stood still, or all were silent.
  private var pause = (from: 0.0, to: 0.0)
  private(set) var endedAt: Double?
  private(set) var endReason: JournalEnd?
  package private(set) var cues: [Cue] = []
  private(set) var songTitle: String?
  private(set) var renamed: [Int: DisplayName] = [:]
  package private(set) var notes: [String] = []

  package init(header: JournalHeader, options: RenderOptions = RenderOptions(), sink: any RenderSink) {
    self.header = header
    self.options = options
    self.sink = sink
    songTitle = header.song?.title
  }

  /// Takes the journal's next frame, and renders what it makes final.
  /// - Throws: what the sink throws, `RenderProblem`, `OpusFailure`.
  package func handle(_ frame: JournalFrame) throws {
    guard endedAt == nil else { return }
    let time = seconds(frame.time)
    guard time < now + RollingRender.longestPause else { throw RenderProblem.impossibleTime(seconds: time) }
    let before = now
    now = max(now, time)
    if now - before > RollingRender.leastPause { pause = (before, now) }
    if case .degraded = frame {
      // What the recorder could not write lies between the frame before this one and this one.
      for track in tracks { track.recorderWasStuck(from: before, to: time) }
    }
    if case .standstill(_, let length, _) = frame {
      for track in tracks { track.recorderStoodStill(from: time - max(0, length.seconds), to: time) }
    }
    while isDue(rendered + Int64(RollingRender.block)) { try renderBlock(RollingRender.block) }
    read(frame, at: time)
  }

  /// Renders the rest: up to the end frame, or without one to the last audio. Returns the length in samples.
  /// - Throws: what the sink throws, `OpusFailure`.
  package func finish() throws -> SamplePosition {
    for track in tracks { track.settle(at: now) }
    let end =
      if let endedAt {
        Int64((max(0, endedAt) * SenderClock.rate).rounded())
      } else {
        tracks.map(\.end).max() ?? 0
      }
    let length = max(end, rendered)
    while rendered < length { try renderBlock(Int(min(Int64(RollingRender.block), length - rendered))) }
    if options.makesMix { try flushMix(to: length) }
    let heard = Int64((max(0, now) * SenderClock.rate).rounded())
    for track in tracks { track.finish(length: length, heard: heard) }
    return SamplePosition(length)
  }

  /// Whether everything is there that will come for what lies before the time line's sample `end`.
  private func isDue(_ end: Int64) -> Bool {
    let place = Double(end) / SenderClock.rate
    guard place + options.window.seconds <= now else { return false }
    let waited = now - max(place, min(pause.to, place + pause.to - pause.from))
    return waited >= options.patience.seconds || tracks.allSatisfy { $0.isSettled(before: end, at: now) }
  }

  private func seconds(_ time: MonotonicTime) -> Double { (time - header.zero).seconds }

  private func position(_ time: Double) -> SamplePosition {
    SamplePosition(Int64((max(0, time) * SenderClock.rate).rounded()))
  }

  private func track(_ number: Int) -> TrackRender? { tracks.first { $0.number == number } }

  private func read(_ frame: JournalFrame, at time: Double) {
    switch frame {
    case .trackOpened(let number, let track, _):
      if self.track(number) == nil {
        tracks.append(TrackRender(number: number, track: track, options: options))
      }
    case .streamChanged(let number, let stream, _): track(number)?.streamChanged(to: stream)
    case .rtp(let number, _, let packet): track(number)?.receive(rtp: packet, at: time)
    case .rtcp(let number, let arrival, let packet):
      track(number)?.receive(rtcp: packet, at: time, clock: RollingRender.reportClock.time(at: arrival))
    case .clockSample(let number, _, let senderTime, let roundTrip):
      // Clients tell Unix time; their sender reports count from 1900.
      let sender = Double(senderTime) / 1e9 + Double(NTPTime.secondsToUnix)
      track(number)?.observe(clockSample: sender, arrival: time, roundTrip: roundTrip.seconds)
    case .roundTrip(let number, _, let span): track(number)?.observe(roundTrip: span.seconds, at: time)
    case .path(let number, _, let isUp): track(number)?.path(isUp: isUp, at: time)
    case .cue(_, let id, let text, let author):
      cues.append(Cue(id: id, position: position(time), text: text, author: author))
    case .song(_, let title): songTitle = title
    case .renamed(let number, _, let name): renamed[number] = name
    case .degraded(_, let reason, let lostBytes):
      notes.append("the recorder could not write at \(time) s: \(reason); \(lostBytes) bytes were lost")
    case .trackClosed(let number, _): track(number)?.closed(at: time)
    case .end(_, let reason): (endedAt, endReason) = (time, reason)
    case .playoutDelay, .wallClock, .standstill, .trackRepeated, .headerRepeated: break
    }
  }

  private func renderBlock(_ frames: Int) throws {
    for track in tracks {
      guard let channels = track.prepare(before: rendered + Int64(frames)) else { continue }
      if openTracks.insert(track.number).inserted {
        try sink.open(track: track.number, channels: channels, silence: rendered)
      }
      try buffer.withUnsafeMutableBufferPointer { buffer in
        let samples = UnsafeMutableBufferPointer(rebasing: buffer.prefix(frames * channels))
        try track.render(from: rendered, into: samples)
        try sink.write(track: track.number, UnsafeBufferPointer(samples))
        if options.makesMix {
          mixer.add(
            UnsafeBufferPointer(samples), channels: channels, gain: options.gains[track.number] ?? Mixer.defaultGain)
        }
      }
    }
    rendered += Int64(frames)
    if options.makesMix { try writeMix(upTo: rendered) }
  }

  /// Hands over the mixer's block, less the limiter's delay at the beginning, up to the time line's sample `end`.
  private func writeMix(upTo end: Int64) throws {
    try mixer.process { samples in
      let skipped = min(latencyToDrop, samples.count / 2)
      latencyToDrop -= skipped
      let frames = min(samples.count / 2 - skipped, Int(end - mixed))
      guard frames > 0 else { return }
      try sink.writeMix(UnsafeBufferPointer(rebasing: samples[(skipped * 2)..<((skipped + frames) * 2)]))
      mixed += Int64(frames)
    }
  }

  private func flushMix(to length: Int64) throws {
    while mixed < length { try writeMix(upTo: length) }
  }
}

/// Where a render's samples go: files, or memory in tests.
package protocol RenderSink: AnyObject {
  /// A track has its first audio: it has `channels` channels and begins with `silence` samples of silence.
  func open(track: Int, channels: Int, silence: Int64) throws
  /// The next interleaved samples of a track; all tracks that are open get equally many.
  func write(track: Int, _ samples: UnsafeBufferPointer<Float>) throws
  /// The next interleaved stereo samples of the mix.
  func writeMix(_ samples: UnsafeBufferPointer<Float>) throws
}
