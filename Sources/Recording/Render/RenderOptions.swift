import Machines
import Music

/// The options for rendering a take.
package struct RenderOptions: Hashable, Sendable, Codable {
  /// Minimum distance of the render behind the journal: the time allowed for retransmissions. Browsers keep sent
  /// packets for 3 s, so no retransmission comes later than 4 s.
  package var window: MonotonicTime.Span
  /// Minimum distance where nothing is missing, so that no retransmission can come (`TrackRender.isWhole`). The first
  /// packets of somebody new may be under way for as long, and a stopped take's last ones are awaited for less.
  var leastWindow = MonotonicTime.Span.seconds(1)
  /// The same for the last sound of a stopped take, where nobody new comes any more.
  var lastWindow = MonotonicTime.Span.milliseconds(100)
  package var format: SoundFileFormat
  /// True to mix the tracks as well.
  package var makesMix: Bool
  /// True to write files with peaks for waveform displays.
  package var makesPeaks: Bool
  /// Gain of a track by its number; `Mixer.defaultGain` otherwise.
  package var gains: [Int: Gain]
  /// How long the render waits for a silent track: a path that holds packets, or a recorder that stalled, delivers
  /// them later.
  var patience = MonotonicTime.Span.seconds(12)
  /// Better positions of streams, found by examining the whole take.
  var lines: [StreamKey: WholeTakeLine] = [:]
  /// True to search for such lines.
  var isSurvey = false
  /// True to record the positions of packets without decoding them.
  var isExamination = false

  package init(
    window: MonotonicTime.Span = .seconds(4), format: SoundFileFormat = .flac24, makesMix: Bool = true,
    makesPeaks: Bool = true, gains: [Int: Gain] = [:]
  ) {
    self.window = window
    self.format = format
    self.makesMix = makesMix
    self.makesPeaks = makesPeaks
    self.gains = gains
  }

  /// Only the user's options are passed to another process, not the results of a survey.
  private enum CodingKeys: String, CodingKey {
    case window, format, makesMix, makesPeaks, gains
  }

  /// True for nothing but what a user chooses, as while a take rolls.
  var isPlain: Bool {
    self
      == RenderOptions(window: window, format: format, makesMix: makesMix, makesPeaks: makesPeaks, gains: gains)
  }

  /// The same options for a complete journal, without a deadline: each block is placed using as much data after it as
  /// before it, and no packet counts as late.
  package var withHindsight: RenderOptions {
    var options = self
    (options.window, options.patience) = (.seconds(20), .seconds(60))
    (options.leastWindow, options.lastWindow) = (options.window, options.window)
    return options
  }

  /// The same with hindsight, without sound, in search of better lines of whole streams.
  var surveying: RenderOptions {
    var options = withHindsight.examining
    options.isSurvey = true
    return options
  }

  /// The same without sound.
  var examining: RenderOptions {
    var options = self
    (options.isExamination, options.makesMix) = (true, false)
    return options
  }
}

/// The first message to a process that renders a take, as a line of JSON.
package struct RenderOrder: Hashable, Sendable, Codable {
  package var take: Take
  /// The data folder.
  package var root: String
  /// The take's folder, relative to it.
  package var folder: String
  package var options: RenderOptions

  package init(take: Take, root: String, folder: String, options: RenderOptions) {
    self.take = take
    self.root = root
    self.folder = folder
    self.options = options
  }

  /// The messages after that, one word per line.
  package enum Word: Hashable, Sendable, Codable {
    case follow
    case finish(notes: [String])
    /// Examine a finished take again (`TakeRefiner`).
    case refine
  }

  /// The answer to `finish` and `refine`. The results are in the manifest, except for the notes.
  package enum Answer: Hashable, Sendable, Codable {
    case finished(notes: [String])
    /// The take's files cannot be improved.
    case unchanged
    case failed(sentence: String, file: FileProblem?)
  }
}

/// Identifies one life of a stream in a journal; it is the same in every render of that journal.
struct StreamKey: Hashable, Sendable, Codable {
  var track: Int
  var source: UInt32
  /// RTP time that counts as 0, and the first extended sequence number, as the stream began.
  var base: UInt32
  var sequence: Int64
}
