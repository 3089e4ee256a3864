import Machines
import Music

/// How a take is rendered.
package struct RenderOptions: Hashable, Sendable, Codable {
  /// How far the render stays behind the journal at least: the time that retransmissions may take. Browsers keep what
  /// they sent for 3 s, so nothing that was asked for again comes later than 4.
  package var window: MonotonicTime.Span
  package var format: SoundFileFormat
  /// Whether a mix is made beside the tracks.
  package var makesMix: Bool
  /// Whether files with peaks for waveform displays are made.
  package var makesPeaks: Bool
  /// Gain of a track by its number, where it is not `Mixer.defaultGain`.
  package var gains: [Int: Gain]
  /// How long the render waits for a track of which nothing comes: a path that holds packets, or a recorder that stood
  /// still, gives them later.
  var patience = MonotonicTime.Span.seconds(12)
  /// Streams that a whole take shows to lie elsewhere than where they seemed to while it rolled.
  var lines: [StreamKey: WholeTakeLine] = [:]
  /// Such lines are looked for.
  var isSurvey = false
  /// Nothing is decoded; what is played where is noted.
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

  /// Another process is told what somebody chose; what a second look found is not among it.
  private enum CodingKeys: String, CodingKey {
    case window, format, makesMix, makesPeaks, gains
  }

  /// The same for a journal that is complete, where nobody waits: each block is placed by as much of what came after it
  /// as of what came before, and nothing that came late is too late.
  package var withHindsight: RenderOptions {
    var options = self
    (options.window, options.patience) = (.seconds(20), .seconds(60))
    return options
  }

  /// The same with hindsight, without sound, looking for what whole streams tell.
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

/// What a process that renders a take is told first, on a line of JSON of its own.
package struct RenderOrder: Hashable, Sendable, Codable {
  package var take: Take
  /// The data folder.
  package var root: String
  /// The take's folder within it.
  package var folder: String
  package var options: RenderOptions

  package init(take: Take, root: String, folder: String, options: RenderOptions) {
    self.take = take
    self.root = root
    self.folder = folder
    self.options = options
  }

  /// What it is told after that, one word on each line.
  package enum Word: Hashable, Sendable, Codable {
    case follow
    case finish(notes: [String])
    /// Look at a finished take again (`TakeRefiner`).
    case refine
  }

  /// What it answers to `finish` and `refine`. What it made is in the manifest; of that, only the notes are not.
  package enum Answer: Hashable, Sendable, Codable {
    case finished(notes: [String])
    /// The take's files are as good as they can be.
    case unchanged
    case failed(sentence: String, file: FileProblem?)
  }
}

/// One life of a stream in a journal: two renders of one journal begin the same.
struct StreamKey: Hashable, Sendable {
  var track: Int
  var source: UInt32
  /// RTP time that counts as 0, and the first extended sequence number, as the stream began.
  var base: UInt32
  var sequence: Int64
}
