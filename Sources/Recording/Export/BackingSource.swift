import Music

/// A backing track of a take, open for an export that asks for it.
package struct BackingSource {
  let stretch: BackedStretch
  let folder: TakeFolder

  /// The backing tracks of a take.
  ///
  /// - Parameter root: the data folder.
  /// - Throws: `ExportProblem.noBacking`, `.backingMissing` if one was deleted.
  package static func all(of manifest: Manifest, in root: String) throws(ExportProblem) -> [BackingSource] {
    guard let stretches = manifest.backings, !stretches.isEmpty else { throw ExportProblem.noBacking }
    var sources: [BackingSource] = []
    // Opened once: a band that goes back to the second verse all evening makes thousands of stretches.
    var known: [BackingID: TakeFolder] = [:]
    for stretch in stretches {
      let path = BackingFile.path(of: stretch.backing, in: manifest.take.room)
      guard let folder = known[stretch.backing] ?? (try? TakeFolder(existing: path, in: root)),
        folder.has(BackingFile.soundName)
      else { throw ExportProblem.backingMissing(title: stretch.title) }
      known[stretch.backing] = folder
      sources.append(BackingSource(stretch: stretch, folder: folder))
    }
    return sources
  }

  /// The folders that are read.
  package static func folders(of sources: [BackingSource]) -> [TakeFolder] {
    var known: Set<BackingID> = []
    return sources.filter { known.insert($0.stretch.backing).inserted }.map(\.folder)
  }
}

/// The backing tracks of a take on its time line, of which one is open at a time.
///
/// Sendable because one thread at a time uses it: it is created on one and handed to the one that reads.
final class BackingLine: BlockSource, @unchecked Sendable {
  let channels = 2
  /// What is still to come, by its beginning.
  private var waiting: ArraySlice<BackingSource>
  /// The first of `waiting`, once it has begun.
  private var open: ShiftedTrack?
  /// Frame of the time line that is read next.
  private var place: Int64

  /// - Parameter first: frame of the time line at which reading begins.
  init(_ backings: [BackingSource], from first: Int64) {
    waiting = backings.sorted { $0.stretch.start < $1.stretch.start }[...]
    place = first
  }

  func next(frames: Int) throws -> [Float] {
    var samples = [Float](repeating: 0, count: frames * channels)
    let end = place + Int64(frames)
    while let next = waiting.first, next.stretch.start.samples < end {
      // The next one ends it in any case: a room hears one at a time.
      let following = waiting.dropFirst().first?.stretch.start.samples ?? .max
      let last = min(next.stretch.start.samples + next.stretch.length.samples, following)
      let start = max(place, next.stretch.start.samples)
      try add(next, start..<max(start, min(last, end)), to: &samples)
      guard last <= end else { break }
      waiting = waiting.dropFirst()
      open = nil
    }
    place = end
    return samples
  }

  /// Adds the frames of `part` to the block that begins at `place`.
  private func add(_ backing: BackingSource, _ part: Range<Int64>, to samples: inout [Float]) throws {
    guard !part.isEmpty else { return }
    let start = backing.stretch.start.samples - backing.stretch.from.samples
    let track =
      try open ?? ShiftedTrack(BackingFile.soundName, in: backing.folder, start: start, from: part.lowerBound)
    open = track
    let sound = try track.next(frames: part.count)
    let first = Int(part.lowerBound - place)
    for frame in 0..<part.count {
      for channel in 0..<channels {
        samples[(first + frame) * channels + channel] = sound[frame * track.channels + min(channel, track.channels - 1)]
      }
    }
  }
}
