import Music

/// A finished take as it is exported: its files, and the song book's current names and cues.
///
/// The only place where the two come together, so that the command line and a service put the same into a file.
package struct ExportSource: Sendable, Codable {
  /// The index's entry, with all edits.
  package let take: Take
  /// Files and tracks as recorded; take and cues as edited.
  package let manifest: Manifest
  /// The edited cues.
  package let cues: [Cue]
  /// Lossless versions of tracks.
  package let lossless: LosslessTracks?

  /// - Parameter manifest: as stored in the take's folder.
  package init(take: Take, manifest: Manifest, cues: [Cue], lossless: LosslessTracks?) {
    // What the room has hidden of its visitors' comments goes into no file.
    let cues = cues.filter { $0.comment?.isHidden != true }
    var manifest = manifest
    (manifest.take, manifest.cues) = (take, cues)
    self.take = take
    self.manifest = manifest
    self.cues = cues
    self.lossless = lossless
  }

  /// The manifest with the tracks of that version.
  package func manifest(_ source: TrackSource) -> Manifest {
    guard source == .lossless, let lossless else { return manifest }
    return manifest.replacing(by: lossless)
  }
}
