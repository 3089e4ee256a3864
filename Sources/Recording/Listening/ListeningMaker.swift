import Music

/// Makes the listening road of a finished take: segments of Opus of its tracks, their lossless versions and its mix.
package struct ListeningMaker {
  private let folder: TakeFolder

  package init(in folder: TakeFolder) {
    self.folder = folder
  }

  /// True if a sound of the take has no segments, or those of an earlier version.
  /// - Throws: `FileProblem` if the take has no manifest.
  package var isMissing: Bool {
    get throws(FileProblem) {
      for sound in try sounds where try ListeningFile(for: sound, in: folder) == nil { return true }
      return false
    }
  }

  /// Makes what is missing, and removes what an interrupted process left.
  ///
  /// - Parameter proceed: called for every segment; an error it throws stops the work. Finished files remain.
  /// - Returns: the number of files made.
  /// - Throws: `FileProblem`, and errors of `proceed`.
  package func make(_ proceed: () throws -> Void = {}) throws -> Int {
    for name in try folder.names() where ListeningFile.isPart(name) { try folder.remove(name) }
    var made = 0
    for sound in try sounds where try ListeningFile(for: sound, in: folder) == nil {
      try ListeningFile.make(for: sound, in: folder, proceed)
      // A lossless track that was deleted meanwhile: its sound must not stay behind. Who deletes it takes it off the list
      // first, and these segments after that.
      guard try sounds.contains(sound) else {
        try folder.remove(ListeningFile.name(for: sound))
        continue
      }
      made += 1
    }
    return made
  }

  /// The sound files that are there, those that are played most first.
  private var sounds: [String] {
    get throws(FileProblem) {
      let manifest = try Manifest(of: folder)
      let files = manifest.files.filter { $0.role == .track } + manifest.files.filter { $0.role == .mix }
      // An unreadable list leaves the musicians' network tracks to be played.
      let lossless = (try? LosslessTracks(of: manifest.take.id, in: folder))?.tracks.map(\.sound) ?? []
      return (files + lossless).map(\.name).filter(folder.has)
    }
  }
}
