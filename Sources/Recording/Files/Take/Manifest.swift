import Music

/// The complete metadata of a take, as a file beside its sound; the index is a cache of these files.
package struct Manifest: Hashable, Sendable, Codable {
  /// The version that this release writes.
  package static let currentVersion = 1

  /// The role of a file of the take.
  package enum Role: String, Hashable, Sendable, Codable {
    case track, mix, peaks, journal
    /// What the musicians' connections were like (`QualityFile`).
    case quality
  }

  /// One file of the take.
  package struct File: Hashable, Sendable, Codable {
    package var name: String
    package var role: Role
    /// The track it belongs to; nil for the files of the mix and for the journal.
    package var track: TrackID?
    /// Length in bytes.
    package var size: Int64
    /// The fingerprint; nil for the journal, whose frames have checksums.
    package var digest: FileDigest?
    /// The sample format of a sound file.
    package var format: SoundFileFormat?
    /// Gain in dB that restores the sound's level, of a file stored lower so that nothing clips; nil for none.
    package var gain: Double?

    package init(
      name: String, role: Role, track: TrackID? = nil, size: Int64, digest: FileDigest? = nil,
      format: SoundFileFormat? = nil, gain: Double? = nil
    ) {
      self.name = name
      self.role = role
      self.track = track
      self.size = size
      self.digest = digest
      self.format = format
      self.gain = gain
    }

    package init(
      _ file: FinishedFile, role: Role, track: TrackID? = nil, format: SoundFileFormat? = nil, gain: Double? = nil
    ) {
      self.init(
        name: file.name, role: role, track: track, size: file.size, digest: file.digest, format: format, gain: gain)
    }
  }

  /// Version of the manifest format.
  package var version: Int
  /// Name and version of the recorder that rendered the take.
  package var software: String
  package var take: Take
  package var session: Session
  package var tracks: [Track]
  package var cues: [Cue]
  package var files: [File]
  /// Integrated loudness of the mix in LUFS (EBU R 128); nil if it cannot be measured.
  package var mixLoudness: Double?
  /// Highest sample of the mix in dBFS, nil for silence.
  package var mixPeak: Double?
  /// Notes for users: "recovered after a crash".
  package var notes: [String]

  /// What a track came by.
  package struct Source: Hashable, Sendable, Codable {
    package var track: TrackID
    /// "webrtc", "kurento", "whip", "rtmp", "rtp".
    package var dialect: String
    /// The codec in which the musician's sender sent: "opus", "aac".
    package var codec: String
    /// Mean rate of the Opus as recorded, in bits a second, from the first packet to the last; nil for too few packets.
    package var bitrate: Double?

    package init(track: TrackID, dialect: String, codec: String, bitrate: Double?) {
      self.track = track
      self.dialect = dialect
      self.codec = codec
      self.bitrate = bitrate
    }
  }

  /// What the tracks came by; nil in takes of older releases.
  package var sources: [Source]?
  /// Improvements made by a second pass over the whole journal; nil if there were none.
  package var refinement: Refinement?
  /// The files of which an imported take was made; nil for a recorded one.
  package var imported: [ImportedFile]?

  /// The backing tracks that the room heard, in order: they are in no track and not in the mix. Nil if there were none.
  package var backings: [BackedStretch]?

  /// Where the music suffered and why; nil in takes of older releases, and in those that nobody measured. All rows are
  /// in `quality.json`.
  package var quality: [QualitySummary]?

  /// Creates a manifest of this release's version; without a `session`, its start is taken from its identifier.
  package init(
    software: String, take: Take, session: Session? = nil, tracks: [Track], cues: [Cue] = [], files: [File] = [],
    mixLoudness: Double? = nil, mixPeak: Double? = nil, notes: [String] = []
  ) {
    version = Manifest.currentVersion
    self.software = software
    self.take = take
    self.session =
      session
      ?? Session(
        id: take.session, room: take.room,
        startedAt: WallTime(milliseconds: Int64(clamping: take.session.ulid.high >> 16)))
    self.tracks = tracks
    self.cues = cues
    self.files = files
    self.mixLoudness = mixLoudness
    self.mixPeak = mixPeak
    self.notes = notes
  }
}

extension Manifest {
  /// Gains of files with headroom, in dB.
  static let gains = 0.0...60.0

  /// The gain in dB that restores the level of the file `name`; 0 for nearly all.
  func gain(of name: String) -> Double { files.first { $0.name == name }?.gain ?? 0 }

  /// Checks the plausibility of its numbers, as `Sidecar.check()`.
  /// - Throws: `ValueProblem` with the field, its value, and the permitted range.
  func check() throws(ValueProblem) {
    try take.checkNumbers()
    for track in tracks { try track.checkNumbers() }
    for file in files { try file.check() }
    for backing in backings ?? [] { try backing.check() }
    for summary in quality ?? [] { try summary.check() }
    try refinement?.check()
  }
}

extension Manifest.File {
  /// - Throws: `ValueProblem` with the field, its value, and the permitted range.
  func check() throws(ValueProblem) {
    guard NumberRule.bytes.contains(size) else {
      throw ValueProblem("size of \(name)", "\(size) bytes", "0 to 2^60")
    }
    if let gain, !Manifest.gains.contains(gain) {
      throw ValueProblem("gain of \(name)", "\(gain) dB", "0 to 60 dB")
    }
  }
}

extension Manifest {
  /// The take's index entry, as recorded.
  package var contents: TakeContents {
    var take = take
    take.loudness = mixLoudness
    let files = files.map { file in
      TakeFile(
        name: file.name, role: file.role.rawValue, track: file.track, size: file.size,
        digestMethod: file.digest?.method, digest: file.digest?.value)
    }
    return TakeContents(take: take, session: session, tracks: tracks, cues: cues, files: files)
  }
}

extension Manifest {
  /// The manifest with lossless tracks substituted where available, for exports; without the mix, which was made from
  /// the other tracks.
  package func replacing(by lossless: LosslessTracks) -> Manifest {
    var manifest = self
    for (index, track) in tracks.enumerated() where track.file != nil {
      guard let entry = lossless.entry(of: track) else { continue }
      manifest.tracks[index].file = entry.sound.name
      manifest.tracks[index].channels = entry.channels
      manifest.tracks[index].peak = entry.peak
      manifest.tracks[index].loudness = entry.loudness
      manifest.files.removeAll { $0.role == .mix || ($0.track == track.id && $0.role != .journal) }
      manifest.files += [entry.sound, entry.peaks]
    }
    return manifest
  }
}
