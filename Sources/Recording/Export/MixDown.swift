import Music

/// Makes one stereo file of a finished take.
///
/// It reads the take's files block by block, so an hour costs no more memory than a minute, and changes nothing in the
/// take's folder. Equal files and settings give equal bytes. The way of a sample stands in `docs/export.md`.
package struct MixDown {
  private let folder: TakeFolder
  private let manifest: Manifest
  private let cues: [Cue]

  /// Mixes the take in `folder`, of which `manifest` says what is there.
  ///
  /// - Parameter cues: the take's, where they were edited since; nil for the manifest's.
  package init(of folder: TakeFolder, manifest: Manifest, cues: [Cue]? = nil) {
    self.folder = folder
    self.manifest = manifest
    self.cues = cues ?? manifest.cues
  }

  /// Tracks that can be heard, in the order of their numbers.
  package var tracks: [Track] { manifest.audibleTracks }

  /// Length of the take's time line.
  package var length: SamplePosition { manifest.length }

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

  /// `settings` with the tracks moved as `perspective` wants it, for what is not mixed here: projects.
  ///
  /// - Throws: as `shifts(for:)`; `MixSettingsProblem` where the perspective moves an offset beyond what is permitted.
  package func settings(_ settings: MixSettings, in perspective: Perspective) throws -> MixSettings {
    var settings = settings
    for shift in try shifts(for: perspective) where shift.samples != 0 {
      settings.channels[shift.track, default: MixSettings.Channel()].offset += shift.samples
    }
    try settings.check(tracks: tracks.map(\.number), length: length)
    return settings
  }

  /// Mixes the take into the file `name` in `target`, replacing one of that name.
  ///
  /// Without a range nothing is cut: the file begins with the earliest track's beginning (the take's zero at the
  /// latest) and ends with the latest one's end. Where nothing is set, nothing moved and the format is the take's own,
  /// the file is a copy of the take's mix.
  ///
  /// - Parameters:
  ///   - shifts: how far the tracks are moved for a perspective; the settings' offsets are added.
  ///   - rate: one of `format.rates`, in Hz.
  ///   - title: what is added to the file's title, in words: "as ada heard it".
  ///   - progress: told on the calling thread how much is done, 0 to 1; may throw (`CancellationError`) to stop.
  /// - Throws: `MixSettingsProblem`, `ExportProblem`, `FileProblem`, what `progress` throws; no file is left then.
  package func write(
    _ name: String, in target: TakeFolder, settings: MixSettings = MixSettings(), shifts: [TrackShift] = [],
    format: ExportFormat = .flac24, rate: Int = Int(SamplePosition.rate), title: String = "",
    progress: @escaping (Double) throws -> Void = { _ in }
  ) throws -> ExportedMix {
    try settings.check(tracks: tracks.map(\.number), length: length)
    guard format.rates.contains(rate) else { throw ExportProblem.rate(rate, format) }
    guard format.isAvailable else { throw ExportProblem.formatMissing(format) }
    let plan = try MixPlan(
      manifest, settings: settings, shifts: shifts, length: length.samples, folder: folder.path)
    if settings.isUnchanged, plan.isFinishedMix, rate == Int(SamplePosition.rate),
      let copy = try copy(to: name, in: target, format: format, shifts: shifts, progress: progress)
    {
      return copy
    }
    let pass = MixPass(folder: folder, plan: plan)
    var meter = ProgressMeter(report: progress)
    let level = try MixLevel(settings, of: pass, progress: &meter)
    let start = SamplePosition(plan.start)
    let length = SamplePosition(plan.length)
    let writer = try SoundFileWriter(
      name, in: target, as: format, channels: 2, rate: rate, frames: RateConverter.frames(plan.length, rate: rate),
      tags: manifest.tags(title), stamp: stamp(start, rate: rate, title),
      markers: Marker.markers(of: cues, start: start, length: length, rate: rate))
    let output = MixOutput(writer, format: format, rate: rate)
    var readings = MixReadings()
    try pass.run(gain: level.gain, ceiling: level.ceiling, progress: { try meter.tell($0) }) { block in
      block.withUnsafeBufferPointer { readings.add($0) }
      try output.write(block)
    }
    readings.finish()
    let file = try output.finish()
    try target.synchronize()
    return ExportedMix(
      file: file, format: format, rate: rate, length: length, start: start, shifts: shifts,
      normalizationGain: level.normalizationGain, peak: readings.peak, truePeak: readings.truePeak,
      loudness: readings.integrated)
  }

  /// A copy of the take's mix, nil where it has another format.
  private func copy(
    to name: String, in target: TakeFolder, format: ExportFormat, shifts: [TrackShift],
    progress: (Double) throws -> Void
  ) throws -> ExportedMix? {
    guard let own = manifest.files.first(where: { $0.role == .mix }), let digest = own.digest,
      let ownFormat = own.format, ownFormat == format.ownFormat
    else { return nil }
    let size = try target.copy(own.name, of: folder, as: name, progress: progress)
    // A file that is not as long as it was is not the one that was hashed.
    guard size == own.size else {
      try target.remove(name)
      throw ExportProblem.changed(file: folder.label(own.name), size: size, expected: own.size)
    }
    try target.synchronize()
    return ExportedMix(
      file: FinishedFile(name: name, size: size, digest: digest), format: format, rate: Int(SamplePosition.rate),
      length: length, start: .zero, shifts: shifts, normalizationGain: nil, peak: manifest.mixPeak, truePeak: nil,
      loudness: manifest.mixLoudness)
  }

  private func stamp(_ start: SamplePosition, rate: Int, _ title: String) -> BroadcastStamp {
    let take = manifest.take
    return BroadcastStamp(
      zero: take.startedAt, start: start, rate: rate, originator: "Jamjar",
      text:
        "\(take.room), \(take.song?.title ?? "untitled"), take \(take.number), mix\(title.isEmpty ? "" : " ")\(title)")
  }
}

extension Manifest {
  fileprivate func tags(_ title: String) -> SoundFileTags {
    let song = take.song?.title ?? "take \(take.number)"
    let words = title.isEmpty ? "" : ", \(title)"
    return SoundFileTags(
      title: "\(song)\(words)", album: take.room.description, comment: "take \(take.number), \(take.id)\(words)",
      date: take.startedAt.date, software: software)
  }
}

/// A mix that was exported.
package struct ExportedMix: Hashable, Sendable {
  package var file: FinishedFile
  package var format: ExportFormat
  /// The file's, in Hz.
  package var rate: Int
  /// On the time line: in samples at 48 kHz, whatever the file's rate.
  package var length: SamplePosition
  /// The place on the take's time line at which the file begins: before the zero where a track was moved there.
  package var start: SamplePosition
  /// How each track was moved against the take's time line, besides the offsets of the settings.
  package var shifts: [TrackShift]
  /// By how much the loudness was changed, in dB; nil where no loudness was asked for.
  package var normalizationGain: Double?
  /// Highest sample in dBFS, nil for silence.
  package var peak: Double?
  /// Highest true peak in dBTP, nil for silence and where the file is a copy.
  package var truePeak: Double?
  /// Integrated loudness in LUFS (EBU R 128), nil where it cannot be told.
  package var loudness: Double?
}

/// How much of an export of several passes is done.
struct ProgressMeter {
  private let report: (Double) throws -> Void
  /// Passes altogether, as far as they are known.
  var passes = 1
  private var ended = 0
  private var told = 0.0

  init(report: @escaping (Double) throws -> Void) {
    self.report = report
  }

  /// Tells that so much of the present pass is done, 0 to 1; what is told never goes back.
  mutating func tell(_ part: Double) throws {
    told = max(told, min(1, (Double(ended) + part) / Double(passes)))
    try report(told)
  }

  mutating func endPass() { ended += 1 }
}
