import Music

/// Everything that the index knows of a take, as a file beside its sound: the index is a cache of these.
package struct Manifest: Hashable, Sendable, Codable {
  /// The version that this release writes.
  package static let currentVersion = 1

  /// What a file of the take is.
  package enum Role: String, Hashable, Sendable, Codable {
    case track, mix, peaks, journal
  }

  /// One file of the take.
  package struct File: Hashable, Sendable, Codable {
    package var name: String
    package var role: Role
    /// The track that it belongs to, nil for the mix's and the journal.
    package var track: TrackID?
    /// Length in bytes.
    package var size: Int64
    /// The fingerprint, nil for the journal (whose frames have checksums of their own).
    package var digest: FileDigest?
    /// How a sound file holds its samples.
    package var format: SoundFileFormat?

    package init(
      name: String, role: Role, track: TrackID? = nil, size: Int64, digest: FileDigest? = nil,
      format: SoundFileFormat? = nil
    ) {
      self.name = name
      self.role = role
      self.track = track
      self.size = size
      self.digest = digest
      self.format = format
    }

    package init(_ file: FinishedFile, role: Role, track: TrackID? = nil, format: SoundFileFormat? = nil) {
      self.init(name: file.name, role: role, track: track, size: file.size, digest: file.digest, format: format)
    }
  }

  /// The manifest format's version.
  package var version: Int
  /// Name and version of the recorder that rendered the take.
  package var software: String
  package var take: Take
  package var session: Session
  package var tracks: [Track]
  package var cues: [Cue]
  package var files: [File]
  /// Integrated loudness of the mix in LUFS (EBU R 128), nil where it cannot be told.
  package var mixLoudness: Double?
  /// Highest sample of the mix in dBFS, nil for silence.
  package var mixPeak: Double?
  /// What people should know: "recovered after a crash".
  package var notes: [String]

  /// What a second look at the whole journal made better, nil where there was none or nothing to better.
  package var refinement: Refinement?

  /// A manifest of this release's version; without a `session`, its beginning is read from its identifier.
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
