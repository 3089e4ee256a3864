import Music

/// The lossless versions of a take's tracks: `lossless.json` in its folder. The manifest beside it stays as it was
/// sealed.
package struct LosslessTracks: TakeSidecar, Hashable {
  package static let currentVersion = 1
  package static let fileName = "lossless.json"
  /// What the names of lossless tracks and their peaks contain behind the track's own name.
  static let mark = "-lossless."

  /// The lossless version of one track.
  package struct Entry: Hashable, Sendable, Codable {
    package var track: TrackID
    package var backup: BackupID
    /// Sample rate of the capture, in Hz.
    package var sampleRate: Int
    /// Channels of the file: 1 or 2.
    package var channels: Int
    /// Length in samples, equal to the take's.
    package var length: SamplePosition
    /// The sound file and its peaks file.
    package var sound: Manifest.File
    package var peaks: Manifest.File
    /// The fingerprint of the track used for the alignment.
    package var reference: FileDigest?
    /// Highest absolute sample in dBFS, nil for silence.
    package var peak: Double?
    /// Integrated loudness in LUFS; nil if it cannot be measured.
    package var loudness: Double?
    package var report: BackupReport
    /// Maps samples of the take to positions in the backup.
    package var mapping: BackupMapping
    /// Samples of the take from earlier backups, used where this one has none; nil if there was no earlier one.
    package var earlier: [Range<Int64>]?
    /// SHA-256 of the samples as they were uploaded, in hexadecimal digits; nil in lists of older releases.
    package var original: String?

    package init(
      track: TrackID, backup: BackupID, sampleRate: Int, channels: Int, length: SamplePosition, sound: Manifest.File,
      peaks: Manifest.File, reference: FileDigest?, peak: Double?, loudness: Double?, report: BackupReport,
      mapping: BackupMapping, earlier: [Range<Int64>]? = nil, original: String? = nil
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
      self.original = original
    }

    /// Samples of the take that come from this or an earlier backup.
    package var covers: [Range<Int64>] { Coverage.union((earlier ?? []) + mapping.ranges) }
  }

  package var version = LosslessTracks.currentVersion
  package var take: TakeID
  package var tracks: [Entry]

  /// Creates an empty list.
  package init(take: TakeID) {
    self.take = take
    tracks = []
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

  /// The lossless version of a track; nil if there is none for its current rendering.
  package func entry(of track: Track) -> Entry? {
    tracks.first { $0.track == track.id && $0.length == track.length }
  }

  /// All files in the list.
  package var files: [Manifest.File] { tracks.flatMap { [$0.sound, $0.peaks] } }

  /// Writes the list, or removes the file if the list is empty.
  package func write(in folder: TakeFolder) throws {
    if tracks.isEmpty {
      try folder.remove(LosslessTracks.fileName)
      try folder.synchronize()
    } else {
      try write(LosslessTracks.fileName, in: folder)
    }
  }

  /// The file name of a lossless track, given the track's own: `01-ada-guitar-lossless.flac`.
  package static func name(for track: String) -> String {
    "\(track.split(separator: ".").first ?? "track")\(mark)flac"
  }
}
