import Music

/// What of which files a mix is made of, and where it lies on the take's time line.
struct MixPlan {
  /// One file in the mix.
  struct Source {
    var file: String
    /// Frame of the take's time line at which the file begins.
    var start: Int64
    var channel: MixSettings.Channel
  }

  /// Frames before the mix's beginning that filters and limiter hear already, so that a part sounds as it does in the
  /// whole: a second, in which a filter of 10 Hz and the limiter have settled.
  private static let warmUp = SamplePosition.rate

  var sources: [Source]
  /// Frame of the take's time line at which the mix begins.
  var start: Int64
  /// In frames.
  var length: Int64
  /// True where the only source is the take's finished mix, which has its gains and has been limited.
  var isFinishedMix: Bool
  var fade: Fade

  /// Frame of the take's time line from which on the files are read.
  var first: Int64 { start > 0 && !isFinishedMix ? max(0, start - MixPlan.warmUp) : start }
}

extension MixPlan {
  /// - Parameters:
  ///   - settings: checked ones.
  ///   - shifts: how far each track is moved besides its offset.
  ///   - length: of the take, in frames.
  /// - Throws: `ExportProblem`.
  init(
    _ manifest: Manifest, settings: MixSettings, shifts: [TrackShift], length: Int64, folder: String
  ) throws(ExportProblem) {
    let tracks = manifest.audibleTracks
    guard !tracks.isEmpty else { throw ExportProblem.noTracks(folder: folder) }
    sources = tracks.filter { settings.isHeard($0.number) }.compactMap { track in
      let channel = settings.channel(track.number)
      let shift = shifts.first { $0.track == track.number }?.samples ?? 0
      return track.file.map { Source(file: $0, start: shift + channel.offset, channel: channel) }
    }
    guard !sources.isEmpty else { throw ExportProblem.nothingHeard }
    let own = manifest.files.first { $0.role == .mix }
    isFinishedMix = false
    if let own, settings.leavesTracks, shifts.allSatisfy({ $0.samples == 0 }) {
      // Its samples were never rounded between tracks and mix: nothing that is made of the tracks is nearer to it.
      sources = [Source(file: own.name, start: 0, channel: MixSettings.Channel())]
      isFinishedMix = true
    }
    // Without a range nothing is cut: from the earliest beginning to the latest end.
    let starts = sources.map(\.start)
    start = settings.range?.lowerBound.samples ?? min(0, starts.min() ?? 0)
    let end = settings.range?.upperBound.samples ?? length + max(0, starts.max() ?? 0)
    self.length = max(0, end - start)
    fade = Fade(fadeIn: settings.fadeIn, fadeOut: settings.fadeOut, length: self.length)
  }
}

extension MixSettings {
  /// True where the tracks come together as in the take's own mix.
  fileprivate var leavesTracks: Bool {
    channels.values.allSatisfy { $0 == Channel() } && gain == 0 && normalization == nil
  }
}

extension Manifest {
  /// Tracks that can be heard, in the order of their numbers.
  package var audibleTracks: [Track] { tracks.filter { $0.file != nil }.sorted { $0.number < $1.number } }

  /// Length of the take's time line.
  package var length: SamplePosition { take.length ?? tracks.compactMap(\.length).max() ?? .zero }
}
