import Music

/// What a process that renders a take is told first, on a line of JSON of its own.
package struct RenderOrder: Hashable, Sendable, Codable {
  package var take: Take
  /// The data folder.
  package var root: String
  /// The take's folder within it.
  package var folder: String
  package var options: RenderOptions

  package init(take: Take, root: String, folder: String, options: RenderOptions) {
    self.take = take
    self.root = root
    self.folder = folder
    self.options = options
  }

  /// What it is told after that, one word on each line.
  package enum Word: Hashable, Sendable, Codable {
    case follow
    case finish(notes: [String])
    /// Look at a finished take again (`TakeRefiner`).
    case refine
  }

  /// What it answers to `finish` and `refine`. What it made is in the manifest; of that, only the notes are not.
  package enum Answer: Hashable, Sendable, Codable {
    case finished(notes: [String])
    /// The take's files are as good as they can be.
    case unchanged
    case failed(sentence: String, file: FileProblem?)
  }
}
