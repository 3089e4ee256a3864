import Machines
import Music

/// One musician's sound of a whole session as one file, from their first take to the end of their last one.
///
/// It reads the tracks block by block and changes nothing beside them.
package struct SoloFile {
  /// A finished take of the session.
  package struct Source {
    let folder: TakeFolder
    let manifest: Manifest

    package init(folder: TakeFolder, manifest: Manifest) { (self.folder, self.manifest) = (folder, manifest) }

    /// The track of the musician; of several (a stay of its own each), the first.
    fileprivate func track(of participant: ParticipantID) -> Track? {
      manifest.audibleTracks.first { $0.participant.id == participant }
    }

    /// The take's zero on the recorder's clock; nil without a readable journal.
    fileprivate var zero: MonotonicTime? {
      guard var journal = try? JournalFollower(folder: folder) else { return nil }
      _ = try? journal.next(isComplete: true)
      guard let header = journal.header, header.take == manifest.take.id else { return nil }
      return header.zero
    }
  }

  package let participant: Participant
  package let plan: SoloPlan
  private let sources: [Source]

  /// Frames per block.
  private static let block = 48_000

  /// - Parameters:
  ///   - takes: the finished takes of a session, in any order.
  ///   - name: the musician's name in the takes (capitals do not count), or their identifier.
  /// - Throws: `SoloProblem`.
  package init(of name: String, in takes: [Source]) throws(SoloProblem) {
    let participant = try SoloFile.participant(name, in: takes)
    let sources = takes.filter { $0.track(of: participant.id) != nil }
    plan = try SoloPlan(
      sources.map {
        SoloPlan.Part(
          take: $0.manifest.take.id, startedAt: $0.manifest.take.startedAt, zero: $0.zero, length: $0.manifest.length)
      })
    self.sources = sources
    self.participant = participant
  }

  private static func participant(_ name: String, in takes: [Source]) throws(SoloProblem) -> Participant {
    let present = takes.flatMap(\.manifest.audibleTracks).map(\.participant)
    if let id = ParticipantID(name), let found = present.first(where: { $0.id == id }) { return found }
    guard !present.isEmpty else { throw SoloProblem.noParts }
    let found = present.filter { $0.name.description.lowercased() == name.lowercased() }
    guard let first = found.first else {
      throw SoloProblem.unknown(name, present: Set(present.map(\.name.description)).sorted())
    }
    guard found.allSatisfy({ $0.id == first.id }) else { throw SoloProblem.ambiguous(name) }
    return first
  }

  /// Writes stereo into the file `name` in `target`; it is never replaced.
  ///
  /// - Parameter progress: receives the fraction done, 0 to 1; may throw to stop.
  /// - Throws: `ExportProblem`, `FileProblem`, and errors of `progress`; no file is left then.
  package func write(
    _ name: String, in target: TakeFolder, format: ExportFormat, rate: Int = Int(SamplePosition.rate),
    progress: (Double) throws -> Void = { _ in }
  ) throws -> ExportedMix {
    guard format.rates.contains(rate) else { throw ExportProblem.rate(rate, format) }
    guard format.isAvailable else { throw ExportProblem.formatMissing(format) }
    let writer = try SoundFileWriter(
      name, in: target, as: format, channels: 2, rate: rate,
      frames: RateConverter.frames(plan.length.samples, rate: rate), tags: tags, stamp: stamp(rate: rate),
      replaces: false)
    let output = MixOutput(writer, format: format, rate: rate)
    var readings = MixReadings()
    var done: Int64 = 0
    let put = { (block: [Float]) in
      block.withUnsafeBufferPointer { readings.add($0) }
      try output.write(block)
      done += Int64(block.count / 2)
      try progress(Double(done) / Double(max(1, plan.length.samples)))
    }
    for placed in plan.placed {
      try SoloFile.silence(until: placed.start.samples, from: done, put)
      guard let source = sources.first(where: { $0.manifest.take.id == placed.take }) else { continue }
      try copy(source, put)
      // A file that is shorter than its take says.
      try SoloFile.silence(until: placed.start.samples + placed.length.samples, from: done, put)
    }
    readings.finish()
    let file = try output.finish(readings)
    try target.synchronize()
    return ExportedMix(
      file: file, format: format, rate: rate, length: plan.length, start: .zero, shifts: [], normalizationGain: nil,
      peak: readings.peak, truePeak: readings.truePeak, loudness: readings.integrated)
  }

  private static func silence(until end: Int64, from start: Int64, _ put: ([Float]) throws -> Void) throws {
    var left = end - start
    while left > 0 {
      let frames = min(left, Int64(block))
      try put([Float](repeating: 0, count: 2 * Int(frames)))
      left -= frames
    }
  }

  /// The track of one take, no more than its take is long.
  private func copy(_ source: Source, _ put: ([Float]) throws -> Void) throws {
    guard let track = source.track(of: participant.id), let file = track.file else { return }
    let reader = try SoundFileReader(file, in: source.folder)
    guard reader.rate == Int(SamplePosition.rate) else { throw ExportProblem.wrongRate(file: file, rate: reader.rate) }
    let gain = Gain(decibels: source.manifest.gain(of: file)).factor
    var left = source.manifest.length.samples
    while left > 0 {
      let samples = try reader.read(frames: Int(min(left, Int64(SoloFile.block))))
      guard !samples.isEmpty else { return }
      left -= Int64(samples.count / reader.channels)
      try put(SoloFile.stereo(samples, channels: reader.channels, gain: gain))
    }
  }

  private static func stereo(_ samples: [Float], channels: Int, gain: Float) -> [Float] {
    if channels == 2 { return gain == 1 ? samples : samples.map { $0 * gain } }
    var both: [Float] = []
    both.reserveCapacity(2 * samples.count / channels)
    for frame in stride(from: 0, to: samples.count, by: channels) {
      both.append(samples[frame] * gain)
      both.append(samples[frame] * gain)
    }
    return both
  }

  private var tags: SoundFileTags {
    let first = sources.first?.manifest
    return SoundFileTags(
      title: "\(participant.name), solo", artist: participant.name.description,
      album: first?.take.room.description ?? "",
      comment: "session \(first?.take.session.description ?? ""), \(plan.placed.count) takes",
      date: first?.take.startedAt.date ?? "", software: first?.software ?? "")
  }

  private func stamp(rate: Int) -> BroadcastStamp? {
    let begin = sources.map(\.manifest.take.startedAt).min()
    return begin.map {
      BroadcastStamp(zero: $0, start: .zero, rate: rate, originator: "Jamjar", text: "\(participant.name), solo")
    }
  }
}
