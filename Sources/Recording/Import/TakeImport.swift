import Music

/// Makes the files of a take from existing recordings: tracks, mix and peaks in the form of every other take.
package struct TakeImport {
  /// Samples written at a time.
  private static let block = 9_600
  /// What the certificate says about the precision.
  private static let reason = "imported: the recording devices state no error bound"

  private let plan: ImportPlan
  private let folder: TakeFolder
  private let software: String

  /// - Parameter folder: an empty folder.
  package init(_ plan: ImportPlan, in folder: TakeFolder, software: String) {
    self.plan = plan
    self.folder = folder
    self.software = software
  }

  /// Writes the files; the returned manifest is not written yet.
  ///
  /// - Parameters:
  ///   - take: identifier, room, session, song, number and start of the take.
  ///   - people: the participant of each lane.
  ///   - aligns: true to move tracks so that their common sound fits.
  ///   - progress: receives the fraction done, 0 to 1; an error that it throws stops the work.
  /// - Throws: `FileProblem`, errors of `progress`.
  package func make(
    _ take: Take, people: [Participant], files: [ImportedFile], aligns: Bool, progress: (Double) throws -> Void
  ) throws -> Manifest {
    var findings = plan.lanes.map { ImportAligner.Finding(shift: 0, basis: $0.basis) }
    if aligns, plan.lanes.count > 1 { findings = try ImportAligner.align(plan) { try progress(0) } }
    // The earliest lane begins at zero, or everything where it was.
    let starts = zip(plan.lanes, findings).flatMap { lane, finding in lane.pieces.map { $0.position + finding.shift } }
    let back = max(0, -(starts.min() ?? 0))
    let lanes = zip(plan.lanes, findings).map { LaneSource($0, of: plan, shift: $1.shift + back) }
    let length = max(1, lanes.map(\.frameCount).max() ?? 0)

    let output = try TakeFiles(folder: folder, take: take, options: RenderOptions(), software: software)
    let ids = lanes.map { _ in TrackID(at: take.startedAt) }
    for (index, lane) in lanes.enumerated() {
      output.players[index + 1] = JournalTrack(
        trackID: ids[index], participant: people[index], origin: "import",
        stream: JournalStream(opusPayloadType: 0))
      try output.open(track: index + 1, channels: lane.channels, silence: 0)
    }
    try write(lanes, length: length, to: output, progress)

    var made: [Manifest.File] = []
    var tracks: [Track] = []
    for (index, lane) in lanes.enumerated() {
      guard let finished = try output.tracks[index + 1]?.finish() else { continue }
      made.append(.init(finished.sound, role: .track, track: ids[index], format: .flac24))
      if let peaks = finished.peaks { made.append(.init(peaks, role: .peaks, track: ids[index])) }
      let start = plan.lanes[index].pieces.map(\.position).min() ?? 0
      tracks.append(
        Track(
          id: ids[index], take: take.id, number: index + 1, participant: people[index], channels: lane.channels,
          length: SamplePosition(length), file: finished.sound.name, peak: finished.peak, loudness: finished.loudness,
          alignment: report(
            start: start + findings[index].shift + back, length: length, basis: findings[index].basis)))
    }
    let mix = try output.mix?.finish()
    if let mix {
      made.append(.init(mix.sound, role: .mix, format: .flac24))
      if let peaks = mix.peaks { made.append(.init(peaks, role: .peaks)) }
    }
    try folder.synchronize()

    var take = take
    take.startedAt = take.startedAt + SamplePosition(-back).duration
    take.length = SamplePosition(length)
    take.endedAt = take.startedAt + SamplePosition(length).duration
    take.trackCount = tracks.count
    take.state = .ready
    let origin = "imported from \(plan.origin); times as told by the files, no error bound is known"
    var manifest = Manifest(
      software: software, take: take, tracks: tracks, files: made, mixLoudness: mix?.loudness, mixPeak: mix?.peak,
      notes: [origin] + plan.notes + findings.compactMap(\.note))
    manifest.imported = files
    return manifest
  }

  private func write(
    _ lanes: [LaneSource], length: Int64, to output: TakeFiles, _ progress: (Double) throws -> Void
  ) throws {
    var mixer = Mixer(frames: TakeImport.block)
    var place: Int64 = 0
    var mixed: Int64 = 0
    var latency = Mixer.latency
    while mixed < length {
      try progress(Double(mixed) / Double(length))
      let frames = Int(min(Int64(TakeImport.block), length - place))
      for (index, lane) in lanes.enumerated() where frames > 0 {
        try lane.padded(from: place, frames: frames).withUnsafeBufferPointer { samples in
          try output.write(track: index + 1, samples)
          mixer.add(samples, channels: lane.channels)
        }
      }
      place += Int64(frames)
      try mixer.process { samples in
        // The limiter's delay.
        let skipped = min(latency, samples.count / 2)
        latency -= skipped
        let whole = Int(min(Int64(samples.count / 2 - skipped), length - mixed))
        guard whole > 0 else { return }
        try output.writeMix(UnsafeBufferPointer(rebasing: samples[(skipped * 2)..<((skipped + whole) * 2)]))
        mixed += Int64(whole)
      }
    }
    try progress(1)
  }

  private func report(start: Int64, length: Int64, basis: String) -> AlignmentReport {
    let bound = BoundedStretch(
      start: SamplePosition(start), end: SamplePosition(length), errorBound: nil, unknownBecause: TakeImport.reason,
      basis: basis)
    return AlignmentReport(
      drift: 0, offset: SamplePosition(start).seconds, errorBound: nil, unknownBecause: TakeImport.reason,
      expectedPackets: 0, recoveredPackets: 0, lostPackets: 0, concealedSamples: 0, basis: basis, stretches: [bound])
  }
}
