import Music

extension Manifest {
  /// What the index keeps of the take, as it was recorded.
  package var contents: TakeContents {
    var take = take
    take.loudness = mixLoudness
    let files = files.map { file in
      TakeFile(
        name: file.name, role: file.role.rawValue, track: file.track, size: file.size,
        digestMethod: file.digest?.method, digest: file.digest?.value)
    }
    return TakeContents(take: take, session: session, tracks: tracks, cues: cues, files: files)
  }
}
