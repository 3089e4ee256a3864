import CLinux
import Machines
import Music

/// Renders a take's journal into its files: follows it while it grows, and finishes within a second of its end.
///
/// The journal is only read. All files are first written under `.part` names. Files of an earlier render are replaced
/// one by one, the manifest last. Used from one thread at a time.
///
/// While the take rolls, checkpoints are made (`TakeCheckpoint`). A renderer that finds one continues the `.part` files
/// of the renderer before it; otherwise it removes them.
package final class TakeRenderer: TakeRendering {
  private let folder: TakeFolder
  /// The destination of the files.
  private let output: TakeFolder
  private let take: Take
  private let options: RenderOptions
  private var journal: JournalFollower
  private var render: RollingRender?
  private var files: TakeFiles?
  private var isFinished = false
  /// Where to continue; nil once that is done.
  private var checkpoint: TakeCheckpoint?
  /// Samples of the time line between two checkpoints; nil if none are made.
  private let interval: Int64?
  /// The time line's length at the last checkpoint, made or tried, in samples.
  private var checkpointed: Int64 = 0
  /// Where this renderer continued the files of another; nil if it began them.
  private(set) var continuedAt: SamplePosition?

  /// Starts at the beginning of the journal, or at the checkpoint of an interrupted renderer.
  ///
  /// - Parameters:
  ///   - folder: folder of the take, with its journal.
  ///   - output: destination of the files and the manifest; nil for the take's folder. There are no checkpoints of files
  ///     in another.
  ///   - checkpointInterval: music between two checkpoints.
  /// - Throws: `FileProblem` if the journal cannot be opened or the folder cannot be cleaned.
  package init(
    folder: TakeFolder, take: Take, options: RenderOptions = RenderOptions(), output: TakeFolder? = nil,
    checkpointInterval: MonotonicTime.Span = TakeCheckpoint.interval
  ) throws(FileProblem) {
    self.folder = folder
    self.output = output ?? folder
    self.take = take
    self.options = options
    journal = try JournalFollower(folder: folder)
    let isPossible = output == nil && options.isPlain && RenderStamp.current != nil
    interval = isPossible ? Int64(saturating: checkpointInterval.seconds * SenderClock.rate) : nil
    checkpoint = isPossible ? TakeCheckpoint.take(from: folder, of: take.id, options: options) : nil
    try self.output.removeRenderParts(except: checkpoint?.partNames ?? [])
  }

  /// Length rendered so far, in samples.
  package var rendered: SamplePosition { SamplePosition(render?.rendered ?? 0) }

  /// Reads the new frames of the journal and renders all blocks that they make final.
  /// - Throws: `FileProblem`, `JournalDamage` (the header), `RenderProblem`, `OpusFailure`; the journal is untouched.
  package func follow() throws {
    guard !isFinished else { throw RenderProblem.finished }
    try read(isComplete: false)
    try makeCheckpoint()
  }

  /// Renders the rest of a journal that no longer grows, closes and names all files, and writes the manifest last.
  ///
  /// - Parameter notes: further notes of the caller for users ("recovered after a crash").
  /// - Throws: the errors of `follow()`; the journal is untouched.
  package func finish(notes: [String] = []) throws -> RenderedTake {
    guard !isFinished else { throw RenderProblem.finished }
    do {
      return try complete(notes)
    } catch  where continuedAt != nil && (error as? FileProblem)?.isDiskFull != true {
      // What another renderer left may be at fault; the journal alone may not be. A full disk is waited for.
      try beginAgain()
      return try complete(notes)
    }
  }

  private func complete(_ notes: [String]) throws -> RenderedTake {
    try read(isComplete: true)
    guard let render, let files else { throw RenderProblem.noHeader(folder: folder.path) }
    isFinished = true
    let length = try render.finish()
    let result = try conclude(render, files, length: length, notes: notes)
    // It is of no use any more: its files have other names now. Nobody would remove it from a take with a manifest.
    if interval != nil { try? folder.remove(TakeCheckpoint.name) }
    try result.manifest.write(in: output)
    return result
  }

  /// Reads one frame of a journal that no longer grows, and renders all blocks that it makes final; false at its end.
  /// - Throws: the errors of `follow()`.
  func step() throws -> Bool {
    try resume(isComplete: true)
    guard let frame = try journal.next(isComplete: true) else { return false }
    try handle(frame)
    return true
  }

  private func handle(_ frame: JournalFrame) throws {
    let render = try begun()
    if case .trackOpened(let number, let track, _) = frame, files?.players[number] == nil {
      files?.players[number] = track
    }
    render.noteLosses(journal.losses)
    try render.handle(frame)
  }

  private func read(isComplete: Bool) throws {
    try resume(isComplete: isComplete)
    while let frame = try journal.next(isComplete: isComplete) { try handle(frame) }
    // A journal without frames still has a header, and thus a take of zero length.
    if isComplete, journal.header != nil { _ = try begun() }
  }

  private func begun() throws -> RollingRender {
    if let render { return render }
    guard let header = journal.header else { throw RenderProblem.noHeader(folder: folder.path) }
    let files = try TakeFiles(folder: output, take: take, options: options, software: header.software)
    let render = RollingRender(header: header, options: options, sink: files)
    (self.files, self.render) = (files, render)
    return render
  }
}

/// Checkpoints.
extension TakeRenderer {
  /// Continues the render of another renderer at its checkpoint; begins at the beginning if journal or files are not as
  /// they were.
  /// - Throws: `FileProblem` if the beginning cannot be read again.
  private func resume(isComplete: Bool) throws(FileProblem) {
    guard let checkpoint else { return }
    self.checkpoint = nil
    do {
      while journal.place.offset < checkpoint.journal.offset, try journal.next(isComplete: isComplete) != nil {}
      if let header = journal.header, journal.damages.isEmpty, journal.place == checkpoint.journal {
        let files = try TakeFiles(
          continuing: checkpoint.files, folder: output, take: take, options: options, software: header.software)
        render = RollingRender(header: header, options: options, sink: files, state: checkpoint.render)
        self.files = files
        checkpointed = checkpoint.render.rendered
        continuedAt = SamplePosition(checkpointed)
        return
      }
    } catch {
      // The journal says everything, so a checkpoint may be as broken as it likes.
    }
    try beginAgain()
  }

  /// Begins at the journal's beginning, without what was rendered.
  private func beginAgain() throws(FileProblem) {
    (render, files, continuedAt, checkpointed, isFinished) = (nil, nil, nil, 0, false)
    journal = try JournalFollower(folder: folder)
    try output.removeRenderParts()
  }

  /// Makes a checkpoint if enough music was rendered since the last one.
  ///
  /// - Throws: `FileProblem` if a file cannot be synced. A disk without room for the checkpoint itself is no fault.
  private func makeCheckpoint() throws {
    // A checkpoint grows with its take; the longer the take, the rarer they are, so that the cost per minute does not.
    guard let interval, let stamp = RenderStamp.current, let render, let files,
      render.rendered - checkpointed >= max(interval, render.rendered / TakeCheckpoint.share)
    else { return }
    checkpointed = render.rendered
    guard journal.damages.isEmpty, let state = render.state, let parts = try files.parts() else { return }
    let checkpoint = TakeCheckpoint(
      stamp: stamp, take: take.id, options: options, journal: journal.place, render: state, files: parts)
    do {
      // The recorder syncs the journal as well, but maybe not yet as far as it was read.
      try journal.sync()
      try checkpoint.write(in: folder)
    } catch {
      // The checkpoint before it still holds.
    }
    // The pieces of its JSON take several times its size. Freed, they would stay with the process for the rest of the take.
    malloc_trim(0)
  }
}

extension TakeRenderer {
  private func conclude(
    _ render: RollingRender, _ files: TakeFiles, length: SamplePosition, notes: [String]
  ) throws -> RenderedTake {
    var list: [Manifest.File] = []
    var tracks: [Track] = []
    for track in render.tracks {
      let finished = try files.tracks[track.number]?.finish()
      if let finished {
        list.append(.init(finished.sound, role: .track, track: track.track.trackID, format: options.format))
        if let peaks = finished.peaks { list.append(.init(peaks, role: .peaks, track: track.track.trackID)) }
      }
      tracks.append(self.track(track, finished, length: length, name: render.renamed[track.number]))
    }
    let mix = try files.mix?.finish()
    if let mix {
      list.append(.init(mix.sound, role: .mix, format: options.format))
      if let peaks = mix.peaks { list.append(.init(peaks, role: .peaks)) }
    }
    let rows = qualityRows(of: render, length: length)
    if !rows.isEmpty { list.append(try QualityFile(take: take.id, tracks: rows).write(in: output)) }
    list.append(
      .init(name: TakeFolder.journalName, role: .journal, size: try folder.size(of: TakeFolder.journalName)))
    // The names must be durable before the manifest lists them.
    try output.synchronize()

    let notes = notes + self.notes(of: render)
    var take = take
    take.folder = folder.path
    take.length = length
    take.endedAt = take.startedAt + length.duration
    take.trackCount = tracks.count
    take.state = isWhole(render) ? .ready : .incomplete
    let session = Session(
      id: take.session, room: take.room,
      startedAt: WallTime(milliseconds: Int64(clamping: take.session.ulid.high >> 16)))
    var manifest = Manifest(
      software: render.header.software, take: take, session: session, tracks: tracks, cues: render.cues, files: list,
      mixLoudness: mix?.loudness, mixPeak: mix?.peak, notes: notes)
    manifest.sources = render.tracks.map(\.source)
    let backings = render.backed.stretches(until: length.samples)
    if !backings.isEmpty { manifest.backings = backings }
    if !rows.isEmpty { manifest.quality = rows.map { QualitySummary(of: $0.rows, track: $0.track) } }
    return RenderedTake(take: take, tracks: tracks, cues: render.cues, manifest: manifest, notes: notes)
  }

  /// The tracks that were measured at all.
  private func qualityRows(of render: RollingRender, length: SamplePosition) -> [QualityFile.TrackRows] {
    render.tracks.compactMap { track in
      let rows = render.quality.rows(of: track.number, gaps: track.gaps, until: length.samples)
      return rows.isEmpty ? nil : QualityFile.TrackRows(track: track.track.trackID, rows: rows)
    }
  }

  private func track(
    _ render: TrackRender, _ finished: SoundTrackFile.Finished?, length: SamplePosition, name: DisplayName?
  ) -> Track {
    var participant = render.track.participant
    if let name { participant.name = name }
    return Track(
      id: render.track.trackID, take: take.id, number: render.number, participant: participant,
      part: render.track.part, meta: render.track.meta, channels: render.channels ?? 1,
      length: finished == nil ? nil : length,
      file: finished?.sound.name, peak: finished?.peak, loudness: finished?.loudness, gaps: render.gaps,
      alignment: render.report)
  }

  /// True if the recorder itself lost nothing and the journal ends properly.
  private func isWhole(_ render: RollingRender) -> Bool {
    switch render.endReason {
    case .stopped, .split, .sessionEnded, .shutdown, .unknown: break
    case .recovered, .diskFull, nil: return false
    }
    return journal.damages.isEmpty && journal.missingFrames == 0 && render.notes.isEmpty
  }

  private func notes(of render: RollingRender) -> [String] {
    var notes = render.notes + render.clockNotes
    switch render.endReason {
    case .recovered: notes.append("recovered after a crash: the take ends where the recorder died")
    case .diskFull: notes.append("the disk was full: the take ends there")
    case nil: notes.append("the journal has no end: the take ends with its last audio")
    default: break
    }
    for damage in journal.damages { notes.append("a part of the journal could not be read: \(damage)") }
    if journal.missingFrames > 0 { notes.append("\(journal.missingFrames) frames never reached the journal") }
    if journal.unknownFrames > 0 { notes.append("\(journal.unknownFrames) frames of a newer release were left out") }
    for track in render.tracks {
      let name = track.track.participant.name
      if track.channels == nil { notes.append("\(name) sent no audio") }
      let counts = track.statistics
      if counts.latePackets > 0 { notes.append("\(counts.latePackets) packets of \(name) came too late") }
      let unread = track.unreadablePackets + counts.refusedPackets
      if unread > 0 { notes.append("\(unread) packets of \(name) could not be used") }
    }
    return notes
  }
}
