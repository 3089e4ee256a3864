import Music

/// Mixes a finished take down to one stereo file.
///
/// It reads the take's files block by block, so an hour needs no more memory than a minute, and changes nothing in
/// the take's folder. Equal files and settings give equal bytes. `docs/export.md` describes the signal path.
///
/// ```swift
/// let mix = MixDown(of: folder, manifest: manifest)
/// let shifts = try mix.shifts(for: .asPlayed)
/// ```
package struct MixDown {
  private let folder: TakeFolder
  private let manifest: Manifest
  private let cues: [Cue]
  private let backings: [BackingSource]

  /// Creates a mix of the take in `folder`, which `manifest` describes.
  ///
  /// - Parameters:
  ///   - cues: the take's edited cues; nil for the manifest's.
  ///   - backings: the backing tracks to mix in.
  package init(of folder: TakeFolder, manifest: Manifest, cues: [Cue]? = nil, backings: [BackingSource] = []) {
    self.backings = backings
    self.folder = folder
    self.manifest = manifest
    self.cues = cues ?? manifest.cues
  }

  /// Tracks with audio, sorted by number.
  package var tracks: [Track] { manifest.audibleTracks }

  /// Length of the take's time line.
  package var length: SamplePosition { manifest.length }

  /// Returns the shift of each track for `perspective`; for all but `.asPlayed`, this reads the journal.
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

  /// Returns `settings` with the tracks shifted for `perspective`, for projects, which are not mixed here.
  ///
  /// - Throws: as `shifts(for:)`; `MixSettingsProblem` if the perspective moves an offset out of range.
  package func settings(_ settings: MixSettings, in perspective: Perspective) throws -> MixSettings {
    var settings = settings
    for shift in try shifts(for: perspective) where shift.samples != 0 {
      settings.channels[shift.track, default: MixSettings.Channel()].offset += shift.samples
    }
    try settings.check(tracks: tracks.map(\.number), length: length)
    return settings
  }

  /// Mixes the take into the file `name` in `target`.
  ///
  /// Without a range nothing is cut: the file begins with the earliest track (at the latest at the take's zero) and
  /// ends with the last one. If no setting changes the take's mix and the format is the take's own, the file is a
  /// copy of that mix.
  ///
  /// - Parameters:
  ///   - shifts: shift of each track for a perspective, added to the offsets of the settings.
  ///   - rate: one of `format.rates`, in Hz.
  ///   - replaces: true to replace an existing file; otherwise it is an error, even if the file is made meanwhile.
  ///   - title: words added to the file's title: "as ada heard it".
  ///   - progress: receives the fraction done, 0 to 1, on the calling thread; may throw (`CancellationError`) to stop.
  /// - Throws: `MixSettingsProblem`, `ExportProblem`, `FileProblem`, and errors of `progress`; no file is left then.
  package func write(
    _ name: String, in target: TakeFolder, settings: MixSettings = MixSettings(), shifts: [TrackShift] = [],
    format: ExportFormat = .flac24, rate: Int = Int(SamplePosition.rate), title: String = "",
    replaces: Bool = true, progress: @escaping (Double) throws -> Void = { _ in }
  ) throws -> ExportedMix {
    try settings.check(tracks: tracks.map(\.number), length: length)
    guard format.rates.contains(rate) else { throw ExportProblem.rate(rate, format) }
    guard format.isAvailable else { throw ExportProblem.formatMissing(format) }
    let plan = try MixPlan(
      manifest, settings: settings, shifts: shifts, backings: backings, length: length.samples, folder: folder.path)
    if settings.isUnchanged, plan.isFinishedMix, rate == Int(SamplePosition.rate),
      let copy = try copy(to: name, in: target, format: format, shifts: shifts, replaces: replaces, progress: progress)
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
      markers: Marker.markers(of: cues, start: start, length: length, rate: rate), replaces: replaces)
    let output = MixOutput(writer, format: format, rate: rate)
    var readings = MixReadings()
    try pass.run(gain: level.gain, ceiling: level.ceiling, progress: { try meter.tell($0) }) { block in
      block.withUnsafeBufferPointer { readings.add($0) }
      try output.write(block)
    }
    readings.finish()
    let file = try output.finish(readings)
    try target.synchronize()
    return ExportedMix(
      file: file, format: format, rate: rate, length: length, start: start, shifts: shifts,
      normalizationGain: level.normalizationGain, peak: readings.peak, truePeak: readings.truePeak,
      loudness: readings.integrated)
  }

  /// Copies the take's mix; nil if it has another format.
  private func copy(
    to name: String, in target: TakeFolder, format: ExportFormat, shifts: [TrackShift], replaces: Bool,
    progress: (Double) throws -> Void
  ) throws -> ExportedMix? {
    guard let own = manifest.files.first(where: { $0.role == .mix }), let digest = own.digest,
      let ownFormat = own.format, ownFormat == format.ownFormat
    else { return nil }
    let label = folder.label(own.name)
    // Hashing reads the file once, copying may do so once more.
    let size = try target.copy(
      own.name, of: folder, as: name, replaces: replaces,
      check: { file in
        // A file whose length differs is not the one that was hashed.
        let found = try file.length(path: label)
        guard found == own.size else { throw ExportProblem.changed(file: label, size: found, expected: own.size) }
        // The second look may replace the take's files at any time, and the manifest only after them.
        guard digest.method == FileDigest.method else { return }
        guard try FileDigest(of: file, path: label, progress: { try progress($0 / 2) }) == digest else {
          throw ExportProblem.replaced(file: label)
        }
      }, progress: { try progress(0.5 + $0 / 2) })
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

/// The result of exporting a mix.
package struct ExportedMix: Hashable, Sendable {
  package var file: FinishedFile
  package var format: ExportFormat
  /// Sample rate of the file, in Hz.
  package var rate: Int
  /// Length on the time line: in samples at 48 kHz, whatever the file's rate.
  package var length: SamplePosition
  /// Position on the take's time line at which the file begins; negative if a track was moved before the zero.
  package var start: SamplePosition
  /// Shift of each track on the take's time line, besides the offsets of the settings.
  package var shifts: [TrackShift]
  /// Gain applied to reach the loudness target, in dB; nil if there was no target.
  package var normalizationGain: Double?
  /// Highest sample in dBFS, nil for silence.
  package var peak: Double?
  /// Highest true peak in dBTP; nil for silence and for a copied file.
  package var truePeak: Double?
  /// Integrated loudness in LUFS (EBU R 128); nil if too short or too quiet to measure.
  package var loudness: Double?
}

/// Progress of an export of several passes.
struct ProgressMeter {
  private let report: (Double) throws -> Void
  /// Total number of passes, as far as known.
  var passes = 1
  private var ended = 0
  private var told = 0.0

  init(report: @escaping (Double) throws -> Void) {
    self.report = report
  }

  /// Reports the fraction of the current pass that is done, 0 to 1; reported progress never decreases.
  mutating func tell(_ part: Double) throws {
    told = max(told, min(1, (Double(ended) + part) / Double(passes)))
    try report(told)
  }

  mutating func endPass() { ended += 1 }
}
