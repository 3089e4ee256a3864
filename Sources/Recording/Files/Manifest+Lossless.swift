import Music

extension Manifest {
  /// The manifest as it would be with lossless tracks in place of those that have one, for exports: without the mix,
  /// which was made of the others.
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
