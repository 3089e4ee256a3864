import Machines
import Music
import Realtime

/// Renders a take from its journal's frames, a few seconds behind them. Each block of 20 ms is rendered once the
/// frames are past it by the window, or nothing of it can change any more, and never changed again.
///
/// The output depends only on the frames and their order, so a render that followed the take live and one made years
/// later give the same samples. Used from one thread at a time.
///
/// ```swift
/// let render = RollingRender(header: header, sink: files)
/// while let frame = try follower.next() { try render.handle(frame) }
/// let length = try render.finish()
/// ```
package final class RollingRender {
  /// Samples per block of the time line.
  static let block = 960
  /// The wall clock of our own reports as a function of the monotonic clock, for reading answers to them.
  private static let reportClock = NTPClock()
  /// Shortest interval without frames that counts as a pause, in seconds: musicians and the recorder write more
  /// often.
  private static let leastPause = 1.0
  /// Longest plausible interval between two frames, in seconds: a day.
  private static let longestPause = 86_400.0

  package let header: JournalHeader
  private let options: RenderOptions
  private let sink: any RenderSink
  private(set) var mixer = Mixer(frames: RollingRender.block)
  /// By track number in the journal, in order of opening.
  private(set) var tracks: [TrackRender] = []
  private(set) var openTracks: Set<Int> = []
  /// Number of samples of the time line rendered so far.
  package private(set) var rendered: Int64 = 0
  /// Number of samples of the mix passed to the sink; the limiter holds some back.
  private(set) var mixed: Int64 = 0
  private(set) var latencyToDrop = Mixer.latency
  private var buffer = [Float](repeating: 0, count: RollingRender.block * 2)
  /// Journal time so far, in seconds from the take's zero.
  private(set) var now = 0.0
  /// When frames of the journal could not be read, in seconds from the take's zero.
  private var lost: [ClosedRange<Double>] = []
  /// The last pause without any frame: the recorder stalled, or all musicians were silent.
  private(set) var pause = Pause()
  /// Where the take ends at the earliest, once it has been stopped, in seconds from its zero.
  private(set) var ending: Double?
  private(set) var endedAt: Double?
  private(set) var endReason: JournalEnd?
  package private(set) var cues: [Cue] = []
  private(set) var songTitle: String?
  private(set) var renamed: [Int: DisplayName] = [:]
  package private(set) var notes: [String] = []
  private(set) var wallClock = WallClockSteps()
  /// The backing tracks that the room heard.
  private(set) var backed = BackingLog()
  /// What the musicians' connections were like.
  private(set) var quality = QualityLog()
  /// Steps of the recorder's wall clock during the take, in sentences; nothing in the take follows them.
  package var clockNotes: [String] { wallClock.notes }

  package init(header: JournalHeader, options: RenderOptions = RenderOptions(), sink: any RenderSink) {
    self.header = header
    self.options = options
    self.sink = sink
    songTitle = header.song?.title
  }

  /// Continues after the frame behind which another render of the same journal was in `state`.
  init(header: JournalHeader, options: RenderOptions, sink: any RenderSink, state: State) {
    self.header = header
    self.options = options
    self.sink = sink
    mixer = state.mixer
    tracks = state.tracks
    openTracks = state.openTracks
    rendered = state.rendered
    mixed = state.mixed
    latencyToDrop = state.latencyToDrop
    now = state.now
    pause = state.pause
    ending = state.ending
    cues = state.cues
    songTitle = state.songTitle
    renamed = state.renamed
    notes = state.notes
    wallClock = state.wallClock
    backed = state.backed
    quality = state.quality
  }

  /// Takes the next frame of the journal, and renders all blocks that it makes final.
  /// - Throws: errors of the sink, `RenderProblem`, `OpusFailure`.
  package func handle(_ frame: JournalFrame) throws {
    guard endedAt == nil else { return }
    let time = seconds(frame.time)
    guard time < now + RollingRender.longestPause else { throw RenderProblem.impossibleTime(seconds: time) }
    let before = now
    now = max(now, time)
    if now - before > RollingRender.leastPause { pause = Pause(from: before, to: now) }
    if case .degraded = frame {
      // The data that the recorder could not write lies between the previous frame and this one.
      for track in tracks { track.recorderWasStuck(from: before, to: time) }
    }
    if case .standstill(_, let length, _) = frame {
      for track in tracks { track.recorderStoodStill(from: time - max(0, length.seconds), to: time) }
    }
    try renderDue()
    read(frame, at: time)
    // Maybe nothing comes any more: what is there is rendered while the last packets are awaited.
    if case .ending = frame { try renderDue() }
  }

  private func renderDue() throws {
    while isDue(rendered + Int64(RollingRender.block)) { try renderBlock(RollingRender.block) }
  }

  /// Takes all times between which frames of the journal could not be read.
  ///
  /// They are no part of `State`: of a damaged journal there are no checkpoints.
  func noteLosses(_ losses: [ClosedRange<MonotonicTime>]) {
    guard losses.count > lost.count else { return }
    for loss in losses.dropFirst(lost.count) {
      // What was lost arrived then, and had been captured before.
      let times = seconds(loss.lowerBound) - TrackSegment.longestWay...seconds(loss.upperBound)
      lost.append(times)
      for track in tracks { track.recorderWasStuck(from: times.lowerBound, to: times.upperBound) }
    }
  }

  /// Renders the rest, up to the end frame or else the last audio, and returns the length in samples.
  /// - Throws: errors of the sink, `OpusFailure`.
  package func finish() throws -> SamplePosition {
    for track in tracks { track.settle(at: now) }
    let end =
      if let endedAt {
        Int64(saturating: max(0, endedAt) * SenderClock.rate)
      } else {
        tracks.map(\.end).max() ?? 0
      }
    let length = max(end, rendered)
    while rendered < length { try renderBlock(Int(min(Int64(RollingRender.block), length - rendered))) }
    if options.makesMix { try flushMix(to: length) }
    let heard = Int64(saturating: max(0, now) * SenderClock.rate)
    for track in tracks { track.finish(length: length, heard: heard) }
    return SamplePosition(length)
  }

  /// True if all data before sample `end` of the time line has arrived.
  private func isDue(_ end: Int64) -> Bool {
    let place = Double(end) / SenderClock.rate
    let isLast = ending.map { place <= $0 } ?? false
    let least = (isLast ? options.lastWindow : options.leastWindow).seconds
    guard place + least <= now else { return false }
    // Where nobody plays, the take may have ended already, which the journal may not say yet.
    if isLast || tracks.contains(where: { $0.closedAt == nil }),
      tracks.allSatisfy({ $0.isWhole(before: end, by: least, isLast: isLast, at: now) })
    {
      return true
    }
    guard place + options.window.seconds <= now else { return false }
    let waited = now - max(place, min(pause.to, place + pause.to - pause.from))
    return waited >= options.patience.seconds
      || tracks.allSatisfy { $0.isSettled(before: end, window: options.window.seconds, at: now) }
  }

  private func seconds(_ time: MonotonicTime) -> Double { (time - header.zero).seconds }

  private func position(_ time: Double) -> SamplePosition {
    SamplePosition(Int64(saturating: max(0, time) * SenderClock.rate))
  }

  private func track(_ number: Int) -> TrackRender? { tracks.first { $0.number == number } }

  private func read(_ frame: JournalFrame, at time: Double) {
    switch frame {
    case .trackOpened(let number, let track, _):
      if self.track(number) == nil {
        let opened = TrackRender(number: number, track: track, options: options)
        for times in lost { opened.recorderWasStuck(from: times.lowerBound, to: times.upperBound) }
        tracks.append(opened)
      }
    case .streamChanged(let number, let stream, _): track(number)?.streamChanged(to: stream)
    case .rtp(let number, _, let packet): track(number)?.receive(rtp: packet, at: time)
    case .rtcp(let number, let arrival, let packet):
      track(number)?.receive(rtcp: packet, at: time, clock: RollingRender.reportClock.time(at: arrival))
    case .clockSample(let number, _, let senderTime, let roundTrip):
      // Clients send Unix time; their sender reports count from 1900.
      let sender = Double(senderTime) / 1e9 + Double(NTPTime.secondsToUnix)
      track(number)?.observe(clockSample: sender, arrival: time, roundTrip: roundTrip.seconds)
    case .checkTrip(let number, _, let span): track(number)?.observe(checkTrip: span.seconds, at: time)
    case .roundTrip(let number, _, let span): track(number)?.observe(roundTrip: span.seconds, at: time)
    case .path(let number, _, let isUp): track(number)?.path(isUp: isUp, at: time)
    case .cue(_, let id, let text, let author):
      cues.append(Cue(id: id, position: position(time), text: text, author: author))
    case .song(_, let title): songTitle = title
    case .renamed(let number, _, let name): renamed[number] = name
    case .degraded(_, let reason, let lostBytes):
      notes.append("the recorder could not write at \(time) s: \(reason); \(lostBytes) bytes were lost")
    case .trackClosed(let number, _): track(number)?.closed(at: time)
    case .ending(_, let end): ending = seconds(end)
    case .end(_, let reason): (endedAt, endReason) = (time, reason)
    case .wallClock(_, let wall): wallClock.note(wall, at: time)
    case .talk(let number, _, let isOn): track(number)?.talk(isOn: isOn, at: position(time).samples)
    case .backing(_, let backing):
      let begins = backing.map { Int64(saturating: seconds($0.starts) * SenderClock.rate) }
      backed.note(backing, begins: begins ?? 0, at: position(time).samples)
    case .quality(let number, _, let reading): quality.note(reading, track: number, at: position(time).samples)
    case .playoutDelay, .directTrip, .standstill, .trackRepeated, .headerRepeated: break
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
        track.settleBounds(at: now)
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

  /// Passes on the mixer's block, minus the limiter's delay at the beginning, up to sample `end` of the time line.
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

extension RollingRender {
  /// A time without frames, in seconds from the take's zero.
  struct Pause: Codable {
    var from = 0.0
    var to = 0.0
  }

  /// Everything but the files that the render of later frames depends on. It refers to the tracks, so it is to be
  /// encoded before the next frame.
  struct State: Codable {
    var mixer: Mixer
    var tracks: [TrackRender]
    var openTracks: Set<Int>
    var rendered: Int64
    var mixed: Int64
    var latencyToDrop: Int
    var now: Double
    var pause: Pause
    var ending: Double?
    var cues: [Cue]
    var songTitle: String?
    var renamed: [Int: DisplayName]
    var notes: [String]
    var wallClock: WallClockSteps
    var backed: BackingLog
    var quality: QualityLog
  }

  /// Nil once the journal has ended.
  var state: State? {
    guard endedAt == nil else { return nil }
    return State(
      mixer: mixer, tracks: tracks, openTracks: openTracks, rendered: rendered, mixed: mixed,
      latencyToDrop: latencyToDrop, now: now, pause: pause, ending: ending, cues: cues, songTitle: songTitle,
      renamed: renamed, notes: notes, wallClock: wallClock, backed: backed, quality: quality)
  }
}
