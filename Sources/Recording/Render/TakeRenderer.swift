import Machines
import Music

/// Renders a take's journal into its files: follows it while it grows, and finishes within a second of its end.
///
/// The journal is only read. All files are first written under `.part` names, and those of an earlier renderer are
/// removed. Files of an earlier render are replaced one by one, the manifest last. Used from one thread at a time.
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

  /// Starts at the beginning of the journal.
  ///
  /// - Parameters:
  ///   - folder: folder of the take, with its journal.
  ///   - output: destination of the files and the manifest; nil for the take's folder.
  /// - Throws: `FileProblem` if the journal cannot be opened or the folder cannot be cleaned.
  package init(
    folder: TakeFolder, take: Take, options: RenderOptions = RenderOptions(), output: TakeFolder? = nil
  ) throws(FileProblem) {
    self.folder = folder
    self.output = output ?? folder
    self.take = take
    self.options = options
    journal = try JournalFollower(folder: folder)
    try self.output.removeParts()
  }

  /// Length rendered so far, in samples.
  package var rendered: SamplePosition { SamplePosition(render?.rendered ?? 0) }

  /// Reads the new frames of the journal and renders all blocks that they make final.
  /// - Throws: `FileProblem`, `JournalDamage` (the header), `RenderProblem`, `OpusFailure`; the journal is untouched.
  package func follow() throws {
    guard !isFinished else { throw RenderProblem.finished }
    try read(isComplete: false)
  }

  /// Renders the rest of a journal that no longer grows, closes and names all files, and writes the manifest last.
  ///
  /// - Parameter notes: further notes of the caller for users ("recovered after a crash").
  /// - Throws: the errors of `follow()`; the journal is untouched.
  package func finish(notes: [String] = []) throws -> RenderedTake {
    guard !isFinished else { throw RenderProblem.finished }
    try read(isComplete: true)
    guard let render, let files else { throw RenderProblem.noHeader(folder: folder.path) }
    isFinished = true
    let length = try render.finish()
    let result = try conclude(render, files, length: length, notes: notes)
    try result.manifest.write(in: output)
    return result
  }

  /// Reads one frame of a journal that no longer grows, and renders all blocks that it makes final; false at its end.
  /// - Throws: the errors of `follow()`.
  func step() throws -> Bool {
    guard let frame = try journal.next(isComplete: true) else { return false }
    try handle(frame)
    return true
  }

  private func handle(_ frame: JournalFrame) throws {
    let render = try begun()
    if case .trackOpened(let number, let track, _) = frame, files?.players[number] == nil {
      files?.players[number] = track
    }
    try render.handle(frame)
  }

  private func read(isComplete: Bool) throws {
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
    let manifest = Manifest(
      software: render.header.software, take: take, session: session, tracks: tracks, cues: render.cues, files: list,
      mixLoudness: mix?.loudness, mixPeak: mix?.peak, notes: notes)
    return RenderedTake(take: take, tracks: tracks, cues: render.cues, manifest: manifest, notes: notes)
  }

  private func track(
    _ render: TrackRender, _ finished: SoundTrackFile.Finished?, length: SamplePosition, name: DisplayName?
  ) -> Track {
    var participant = render.track.participant
    if let name { participant.name = name }
    return Track(
      id: render.track.trackID, take: take.id, number: render.number, participant: participant,
      part: render.track.part, channels: render.channels ?? 1, length: finished == nil ? nil : length,
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
