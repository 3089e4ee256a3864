import Music

/// Which tracks of a take have a lossless version: `lossless.json` in its folder. The manifest beside it stays as it was
/// sealed.
package struct LosslessTracks: Sidecar, Hashable {
  package static let currentVersion = 1
  package static let fileName = "lossless.json"

  /// The lossless version of one track.
  package struct Entry: Hashable, Sendable, Codable {
    package var track: TrackID
    package var backup: BackupID
    /// What was captured: the rate in Hz.
    package var sampleRate: Int
    /// Of the file: 1 or 2.
    package var channels: Int
    /// Length in samples, that of the take.
    package var length: SamplePosition
    /// The file, and its outline.
    package var sound: Manifest.File
    package var peaks: Manifest.File
    /// The fingerprint of the track that it was aligned with.
    package var reference: FileDigest?
    /// Highest absolute sample in dBFS, nil for silence.
    package var peak: Double?
    /// Integrated loudness in LUFS, nil where it cannot be told.
    package var loudness: Double?
    package var report: BackupReport
    /// Which sample of the take lies where in the backup.
    package var mapping: BackupMapping
    /// Samples of the take that backups before this one gave, heard where this one has nothing; nil where there was none.
    package var earlier: [Range<Int64>]?

    package init(
      track: TrackID, backup: BackupID, sampleRate: Int, channels: Int, length: SamplePosition, sound: Manifest.File,
      peaks: Manifest.File, reference: FileDigest?, peak: Double?, loudness: Double?, report: BackupReport,
      mapping: BackupMapping, earlier: [Range<Int64>]? = nil
    ) {
      self.track = track
      self.backup = backup
      self.sampleRate = sampleRate
      self.channels = channels
      self.length = length
      self.sound = sound
      self.peaks = peaks
      self.reference = reference
      self.peak = peak
      self.loudness = loudness
      self.report = report
      self.mapping = mapping
      self.earlier = earlier
    }

    /// Samples of the take that come from this backup or one before it.
    package var covers: [Range<Int64>] { Coverage.union((earlier ?? []) + mapping.ranges) }
  }

  package var version = LosslessTracks.currentVersion
  package var take: TakeID
  package var tracks: [Entry]

  /// None yet.
  package init(take: TakeID) {
    self.take = take
    tracks = []
  }

  /// The lossless tracks of the take in `folder`; none where there is no file.
  /// - Throws: `FileProblem` for a file that cannot be read or is another take's.
  package init(of take: TakeID, in folder: TakeFolder) throws(FileProblem) {
    guard let found = try LosslessTracks.read(LosslessTracks.fileName, in: folder) else {
      self.init(take: take)
      return
    }
    guard found.take == take else {
      throw FileProblem(
        path: folder.label(LosslessTracks.fileName), operation: .decode, code: 0,
        detail: "it belongs to the take \(found.take), not to \(take)")
    }
    self = found
  }

  package func check() throws(ValueProblem) {
    for entry in tracks {
      try entry.sound.check()
      try entry.peaks.check()
      let bounds = entry.mapping.stretches.flatMap { [$0.start, $0.end] }
      for place in bounds + (entry.earlier ?? []).flatMap({ [$0.lowerBound, $0.upperBound] })
      where !SamplePosition.permitted.contains(place) {
        throw ValueProblem("mapping of \(entry.sound.name)", "sample \(place)", "-2^48 to 2^48")
      }
    }
  }

  /// The lossless version of a track, nil where there is none that fits it: the take may have been rendered anew since.
  package func entry(of track: Track) -> Entry? {
    tracks.first { $0.track == track.id && $0.length == track.length }
  }

  /// Every file that the list names.
  package var files: [Manifest.File] { tracks.flatMap { [$0.sound, $0.peaks] } }

  /// Writes the list, or removes it where nothing is on it.
  package func write(in folder: TakeFolder) throws {
    if tracks.isEmpty {
      try folder.remove(LosslessTracks.fileName)
      try folder.synchronize()
    } else {
      try write(LosslessTracks.fileName, in: folder)
    }
  }

  /// The name of a lossless track's file, given the track's own: `01-ada-guitar-lossless.flac`.
  package static func name(for track: String) -> String {
    "\(track.split(separator: ".").first ?? "track")-lossless.flac"
  }
}
