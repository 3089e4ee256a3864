import Music

/// Converts a finished upload into the lossless version of its musician's track, in the take's folder.
package struct LosslessMaker {
  private let folder: TakeFolder
  private let manifest: Manifest

  /// - Throws: `FileProblem` if the take has no manifest.
  package init(in folder: TakeFolder) throws(FileProblem) {
    self.folder = folder
    manifest = try Manifest(of: folder)
  }

  /// Aligns the samples of `backup` and writes the files; `LosslessTracks` does not list them yet.
  ///
  /// - Parameter proceed: called regularly; an error it throws stops the work and leaves no file.
  /// - Throws: `BackupRefusal`; `FileProblem` and errors of `proceed`, after which it can be retried.
  package func make(_ backup: Backup, _ proceed: () throws -> Void = {}) throws -> LosslessTracks.Entry {
    let tracks = manifest.tracks.filter { $0.participant.id == backup.participant }
    guard !tracks.isEmpty else { throw BackupRefusal.noTrack }
    var refusal = BackupRefusal.noSound
    for track in tracks {
      guard let file = track.file else { continue }
      do {
        return try make(backup, track, file, proceed)
      } catch let error as BackupRefusal {
        refusal = error
      }
    }
    throw refusal
  }

  private func make(
    _ backup: Backup, _ track: Track, _ file: String, _ proceed: () throws -> Void
  ) throws -> LosslessTracks.Entry {
    let own = try SoundFileSource(file, in: folder)
    let upload = try PCMFile(
      BackupFile.samplesName(of: backup.id), in: folder, channels: backup.channels, rate: backup.sampleRate)
    let expected = backup.startedAt.map { ($0 - manifest.take.startedAt) / .seconds(1) }
    let alignment = try StallAligner(take: own, backup: upload, expected: expected, gaps: track.gaps)
      .align(proceed)
    let name = LosslessTracks.name(for: file)
    // A reloaded page sends two backups of one take: each fills the parts missing from the other.
    let former = try LosslessTracks(of: manifest.take.id, in: folder).entry(of: track).flatMap {
      $0.backup == backup.id ? nil : $0
    }
    let earlier = former?.covers ?? []
    let covered = Coverage.length(Coverage.union(earlier + alignment.mapping.ranges))
    if let former, covered == Coverage.length(earlier) {
      throw BackupRefusal.lessThanAnother(
        covered: SamplePosition(alignment.mapping.covered).seconds, other: former.report.covered.seconds)
    }
    let before: (any SoundSource)? = try former.map {
      try ScaledSource(SoundFileSource($0.sound.name, in: folder), decibels: $0.sound.gain ?? 0)
    }
    let made = try LosslessRender(
      track: before ?? own, backup: upload, mapping: alignment.mapping
    ).write(name, in: folder, tags: tags(track, backup), proceed)
    return LosslessTracks.Entry(
      track: track.id, backup: backup.id, sampleRate: backup.sampleRate, channels: backup.channels,
      length: SamplePosition(own.frameCount),
      sound: Manifest.File(made.sound, role: .track, track: track.id, format: .flac24, gain: made.gain),
      peaks: Manifest.File(made.peaks, role: .peaks, track: track.id),
      reference: manifest.files.first { $0.name == file }?.digest, peak: made.peak, loudness: made.loudness,
      report: BackupReport(
        offset: alignment.offset, drift: alignment.drift, correlation: alignment.correlation,
        errorBound: max(alignment.errorBound, former?.report.errorBound ?? 0),
        pieces: alignment.mapping.stretches.count,
        covered: SamplePosition(covered), filled: SamplePosition(own.frameCount - covered)),
      mapping: alignment.mapping, earlier: earlier.isEmpty ? nil : earlier,
      original: try upload.fingerprint(proceed))
  }

  private func tags(_ track: Track, _ backup: Backup) -> SoundFileTags {
    let take = manifest.take
    return SoundFileTags(
      title: take.song?.title ?? "", artist: track.participant.name.description, album: take.room.description,
      trackNumber: track.number, comment: "take \(take.number), \(take.id), lossless from the backup \(backup.id)",
      date: take.startedAt.date, software: manifest.software)
  }

  /// Removes what a process left that ended during `make`.
  package static func removeParts(in folder: TakeFolder) {
    for name in (try? folder.names()) ?? []
    where name.contains(LosslessTracks.mark) && name.hasSuffix(TakeFolder.partSuffix) {
      try? folder.remove(name)
    }
  }

  // MARK: The list

  /// Adds `entry` to the take's list and returns the backup that it replaces.
  package static func enter(_ entry: LosslessTracks.Entry, of take: TakeID, in folder: TakeFolder) throws -> BackupID? {
    var list = try LosslessTracks(of: take, in: folder)
    let former = list.tracks.first { $0.track == entry.track }
    list.tracks.removeAll { $0.track == entry.track }
    list.tracks.append(entry)
    try list.write(in: folder)
    // Those at another level: of the former, or of a process that ended before its list was written.
    let stem = entry.sound.name.split(separator: ".").first.map { "\($0)." } ?? entry.sound.name
    for name in try folder.names() where name.hasPrefix(stem) && name.hasSuffix(".flac") && name != entry.sound.name {
      try folder.remove(name)
    }
    return former?.backup == entry.backup ? nil : former?.backup
  }

  /// Removes the track made from `backup` from the list, and deletes its files.
  package static func remove(_ backup: BackupID, of take: TakeID, in folder: TakeFolder) throws {
    var list = try LosslessTracks(of: take, in: folder)
    let gone = list.tracks.filter { $0.backup == backup }
    guard !gone.isEmpty else { return }
    list.tracks.removeAll { $0.backup == backup }
    // The list first: it must only name existing files.
    try list.write(in: folder)
    for entry in gone {
      try folder.remove(entry.sound.name)
      try folder.remove(ListeningFile.name(for: entry.sound.name))
      try folder.remove(entry.peaks.name)
    }
  }
}
