import Logging
import Music
import Recording

/// Fills an empty index from the manifests on disk.
package struct IndexRebuild: Sendable {
  private let recordings: String
  private let index: any TakeIndex
  private let logger: Logger

  package init(recordings: String, index: any TakeIndex, logger: Logger) {
    self.recordings = recordings
    self.index = index
    self.logger = logger
  }

  /// Stores every take that has a manifest; returns how many there were.
  ///
  /// A manifest that cannot be read is logged and passed over: the others must be found all the same.
  /// - Throws: `FileProblem` when the data folder cannot be searched.
  package func run() async throws -> Int {
    var count = 0
    for path in try TakeFolder.manifests(under: recordings) {
      do {
        let manifest = try Manifest(of: TakeFolder(existing: path, in: recordings))
        try await index.store(manifest.contents)
        count += 1
      } catch {
        logger.error("a manifest cannot be taken into the index", metadata: ["folder": "\(path)", "error": "\(error)"])
      }
    }
    return count
  }
}
