import Music

/// What a finished render made.
package struct RenderedTake: Hashable, Sendable {
  /// With length, end and number of tracks; its state is `ready`, or `incomplete` where something is missing.
  package var take: Take
  /// In the order of arrival; a track without any audio has no file.
  package var tracks: [Track]
  package var cues: [Cue]
  /// What was written as `manifest.json`.
  package var manifest: Manifest
  /// What people should know.
  package var notes: [String]

  package init(take: Take, tracks: [Track], cues: [Cue], manifest: Manifest, notes: [String]) {
    self.take = take
    self.tracks = tracks
    self.cues = cues
    self.manifest = manifest
    self.notes = notes
  }
}
