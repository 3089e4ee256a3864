import Music

/// Makes one stereo file of a finished take, from a perspective.
///
/// It reads the track files block by block, so an hour costs no more memory than a minute, and changes nothing in the
/// take's folder. Levels are those of the take's own mix: the same gains, the same limiter.
package struct TakeExport {
  /// Frames that are mixed at a time: the render's block, so that the limiter sees what it saw then.
  private static let block = RollingRender.block

  private let folder: TakeFolder
  private let manifest: Manifest

  /// Exports the take in `folder`, of which `manifest` says what is there.
  package init(of folder: TakeFolder, manifest: Manifest) {
    self.folder = folder
    self.manifest = manifest
  }

  /// Tracks that can be heard, in the order of their numbers.
  package var tracks: [Track] { manifest.tracks.filter { $0.file != nil }.sorted { $0.number < $1.number } }

  /// How far the tracks have to be moved for `perspective`; for all but `.asPlayed` the journal is read.
  ///
  /// - Throws: `PerspectiveProblem`, `ExportProblem.noTracks`, `FileProblem`, `JournalDamage` (the header).
  package func shifts(for perspective: Perspective) throws -> [TrackShift] {
    let numbers = tracks.map(\.number)
    guard !numbers.isEmpty else { throw ExportProblem.noTracks(folder: folder.path) }
    var readings = HearingReadings()
    if perspective != .asPlayed {
      var journal = try JournalFollower(folder: folder)
      while let frame = try journal.next(isComplete: true) { readings.note(frame) }
    }
    return try perspective.shifts(of: numbers, by: readings)
  }

  /// Mixes the tracks, moved by `shifts`, into the file `name` in `target`, replacing one of that name.
  ///
  /// Nothing is cut: the file begins with the earliest track's beginning and ends with the latest one's end. Where
  /// nothing is moved it is the take's own mix, sample for sample.
  ///
  /// - Parameter title: what is added to the file's title, in words: "as ada heard it".
  /// - Throws: `ExportProblem`, `FileProblem`; no file is left then.
  package func write(
    _ name: String, in target: TakeFolder, format: SoundFileFormat, shifts: [TrackShift], title: String
  ) throws -> ExportedMix {
    let writer = try MixWriter(name, in: target, format: format, tags: tags(title))
    let earliest = shifts.map(\.samples).min() ?? 0
    if let mix = manifest.files.first(where: { $0.role == .mix }), shifts.allSatisfy({ $0.samples == 0 }) {
      try copy(mix.name, to: writer)
    } else {
      try mix(shifts, from: earliest, to: writer)
    }
    let (file, peak, loudness) = try writer.finish()
    try target.synchronize()
    return ExportedMix(
      file: file, length: SamplePosition(writer.frameCount), zero: SamplePosition(-earliest), shifts: shifts,
      peak: peak, loudness: loudness)
  }

  /// The take's mix was made of samples before they were rounded to 24 bits: nothing that is made of the files is
  /// nearer to it than itself.
  private func copy(_ name: String, to writer: MixWriter) throws {
    let track = try ShiftedTrack(name, in: folder, start: 0)
    var left = track.end
    while left > 0 {
      let frames = Int(min(left, Int64(TakeExport.block)))
      let samples = try track.next(frames: frames)
      try samples.withUnsafeBufferPointer { try writer.write($0) }
      left -= Int64(frames)
    }
  }

  /// Mixes the tracks in any case, from the sample `earliest` of the take's time line on.
  func mix(_ shifts: [TrackShift], from earliest: Int64, to writer: MixWriter) throws {
    var sources: [ShiftedTrack] = []
    for shift in shifts {
      guard let file = tracks.first(where: { $0.number == shift.track })?.file else { continue }
      sources.append(try ShiftedTrack(file, in: folder, start: shift.samples - earliest))
    }
    guard let length = sources.map(\.end).max() else { throw ExportProblem.noTracks(folder: folder.path) }
    var mixer = Mixer(frames: TakeExport.block)
    var latencyToDrop = Mixer.latency
    var left = length
    while left > 0 {
      for source in sources {
        let samples = try source.next(frames: TakeExport.block)
        samples.withUnsafeBufferPointer { mixer.add($0, channels: source.channels) }
      }
      try mixer.process { samples in
        let skipped = min(latencyToDrop, samples.count / 2)
        latencyToDrop -= skipped
        let frames = min(samples.count / 2 - skipped, Int(left))
        guard frames > 0 else { return }
        try writer.write(UnsafeBufferPointer(rebasing: samples[(skipped * 2)..<((skipped + frames) * 2)]))
        left -= Int64(frames)
      }
    }
  }

  private func tags(_ title: String) -> SoundFileTags {
    let take = manifest.take
    let song = take.song?.title ?? "take \(take.number)"
    return SoundFileTags(
      title: "\(song), \(title)", album: take.room.description, comment: "take \(take.number), \(take.id), \(title)",
      date: take.startedAt.date, software: manifest.software)
  }
}
