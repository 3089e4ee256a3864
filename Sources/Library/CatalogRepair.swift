import Music
import Recording

/// Makes the index agree with the disk where a check found differences, also beside a running service: each finding is
/// mended under the lock of edits, which others get in between.
package struct CatalogRepair: Sendable {
  private let library: Library

  package init(_ library: Library) {
    self.library = library
  }

  /// Mends the findings; returns those that are left, since only the index is mended: files are not.
  ///
  /// - Parameter progress: receives the fraction done, 0 to 1.
  /// - Throws: `LibraryError.busy`, errors of the index.
  package func mend(
    _ findings: [CatalogCheck.Finding], progress: (Double) -> Void = { _ in }
  ) async throws -> [CatalogCheck.Finding] {
    var left: [CatalogCheck.Finding] = []
    var done: Set<String> = []
    for (count, finding) in findings.enumerated() {
      progress(Double(count) / Double(findings.count))
      guard ["not-indexed", "differs", "not-on-disk"].contains(finding.code) else {
        left.append(finding)
        continue
      }
      // One subject may have several findings.
      guard done.insert(finding.folder).inserted else { continue }
      if try await !mend(finding) { left.append(finding) }
    }
    progress(1)
    return left
  }

  private func mend(_ finding: CatalogCheck.Finding) async throws -> Bool {
    try await library.locked { _ in
      do {
        if let song = CatalogRepair.id(finding.folder, in: SongFile.folder).flatMap({ SongID($0) }) {
          try await library.indexSong(song)
        } else if let person = CatalogRepair.id(finding.folder, in: PersonFile.folder).flatMap({ ParticipantID($0) }) {
          guard finding.code != "not-on-disk" else { return false }
          try await library.indexPeople([person])
        } else {
          return try await mendTake(finding)
        }
        return true
      } catch is FileProblem {
        return false
      } catch let problem as any IndexProblem where !problem.isIndexUnavailable {
        // The index refuses what the files say, for example a folder that another take has; the rest can be mended.
        return false
      }
    }
  }

  /// Stores the take in the folder as its files are now, or removes the row of one that has no files.
  private func mendTake(_ finding: CatalogCheck.Finding) async throws -> Bool {
    let index = library.index
    let folder: TakeFolder
    do throws(FileProblem) {
      folder = try TakeFolder(existing: finding.folder, in: library.root)
    } catch  where error.isMissing {
      // Any other problem does not mean that the files are gone.
      guard let id = finding.take, let take = try await index.take(id) else { return true }
      // It may have been moved in between, or still be recorded.
      guard take.folder == finding.folder, !CatalogRepair.isBeingMade(take) else { return true }
      try await index.remove(id)
      return true
    }
    let manifest = try Manifest(of: folder)
    // The recorder stores a take that it is making.
    if let known = try await index.take(manifest.take.id), CatalogRepair.isBeingMade(known) { return true }
    try await index.store(try library.shelved(manifest.contents))
    return true
  }

  private static func isBeingMade(_ take: Take) -> Bool { [.rolling, .captured, .rendering].contains(take.state) }

  /// The identifier in the name of a file of `folder`.
  private static func id(_ path: String, in folder: String) -> String? {
    guard path.hasPrefix(folder + "/"), path.hasSuffix(".json") else { return nil }
    return String(path.dropFirst(folder.utf8.count + 1).dropLast(5))
  }
}
