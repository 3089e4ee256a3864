import Music

/// The files of a mix, their channels and their positions on the take's time line.
struct MixPlan {
  /// One file in the mix.
  struct Source {
    var file: String
    /// Frame of the take's time line at which the file begins.
    var start: Int64
    var channel: MixSettings.Channel
    /// Gain in dB that restores the level of a file with headroom.
    var restore = 0.0
    /// The backing tracks of the take, in place of a file of its own.
    var backings: [BackingSource] = []
  }

  /// Frames processed before the mix begins, so that an excerpt sounds as it does in the whole: one second, which
  /// lets a 10 Hz filter and the limiter settle.
  private static let warmUp = SamplePosition.rate

  var sources: [Source]
  /// Frame of the take's time line at which the mix begins.
  var start: Int64
  /// In frames.
  var length: Int64
  /// True if the only source is the take's finished mix, which has its gains and has been limited.
  var isFinishedMix: Bool
  var fade: Fade

  /// Frame of the take's time line at which reading begins.
  var first: Int64 { start > 0 && !isFinishedMix ? max(0, start - MixPlan.warmUp) : start }
}

extension MixPlan {
  /// - Parameters:
  ///   - settings: validated settings.
  ///   - shifts: shift of each track besides its offset.
  ///   - length: length of the take, in frames.
  /// - Throws: `ExportProblem`.
  init(
    _ manifest: Manifest, settings: MixSettings, shifts: [TrackShift], backings: [BackingSource] = [], length: Int64,
    folder: String
  ) throws(ExportProblem) {
    let tracks = manifest.audibleTracks
    guard !tracks.isEmpty else { throw ExportProblem.noTracks(folder: folder) }
    sources = tracks.filter { settings.isHeard($0.number) }.compactMap { track in
      let channel = settings.channel(track.number)
      let shift = shifts.first { $0.track == track.number }?.samples ?? 0
      return track.file.map {
        Source(file: $0, start: shift + channel.offset, channel: channel, restore: manifest.gain(of: $0))
      }
    }
    guard !sources.isEmpty else { throw ExportProblem.nothingHeard }
    let own = manifest.files.first { $0.role == .mix }
    isFinishedMix = false
    if let own, backings.isEmpty, settings.leavesTracks, shifts.allSatisfy({ $0.samples == 0 }) {
      // The samples of this file were never rounded between tracks and mix, so no mix of the tracks can be more
      // exact.
      sources = [Source(file: own.name, start: 0, channel: MixSettings.Channel())]
      isFinishedMix = true
    }
    // Without a range nothing is cut: from the earliest beginning to the latest end.
    let starts = sources.map(\.start)
    start = settings.range?.lowerBound.samples ?? min(0, starts.min() ?? 0)
    let end = settings.range?.upperBound.samples ?? length + max(0, starts.max() ?? 0)
    self.length = max(0, end - start)
    // Behind the measures, because a backing track makes no mix longer.
    if !backings.isEmpty {
      // At the level of their files: as loud beside the tracks as in everybody's ears.
      sources.append(
        Source(file: BackingFile.soundName, start: 0, channel: MixSettings.Channel(), backings: backings))
    }
    fade = Fade(fadeIn: settings.fadeIn, fadeOut: settings.fadeOut, length: self.length)
  }
}

extension MixSettings {
  /// True if the tracks are combined as in the take's own mix.
  fileprivate var leavesTracks: Bool {
    channels.values.allSatisfy { $0 == Channel() } && gain == 0 && normalization == nil
  }
}

extension Manifest {
  /// Tracks with audio, sorted by number.
  package var audibleTracks: [Track] { tracks.filter { $0.file != nil }.sorted { $0.number < $1.number } }

  /// Length of the take's time line.
  package var length: SamplePosition { take.length ?? tracks.compactMap(\.length).max() ?? .zero }
}
