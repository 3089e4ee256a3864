import Foundation
import Music
import Recording

/// Compares the index with the disk, and the files with their manifests. `CatalogRepair` mends the index.
package struct CatalogCheck: Sendable {
  /// A discrepancy.
  package struct Finding: Hashable, Sendable, Codable {
    /// A word for programs: "not-indexed", "not-on-disk", "differs", "unreadable", "file-missing", "file-size",
    /// "file-digest", "lossless-differs".
    package var code: String
    /// The take's folder, or the file of a song or person, relative to the data folder.
    package var folder: String
    /// A sentence for users.
    package var text: String
    /// The take that the index has; nil where only its folder is known.
    package var take: TakeID?
  }

  /// The counts of checked items, and the findings.
  package struct Report: Hashable, Sendable, Codable {
    package var takes = 0
    package var files = 0
    package var songs = 0
    package var people = 0
    package var findings: [Finding] = []
  }

  let library: Library
  var index: any TakeIndex { library.index }
  /// True to read every file and compare it with the digest in its manifest.
  let readsFiles: Bool

  package init(_ library: Library, readsFiles: Bool) {
    self.library = library
    self.readsFiles = readsFiles
  }

  /// Checks every take, song and person on disk and in the index. With a running service, takes that change during the
  /// check may be reported; run it again.
  /// - Parameter progress: receives the fraction of takes done, 0 to 1.
  package func run(progress: (Double) -> Void = { _ in }) async throws -> Report {
    var report = Report()
    let folders = try IndexRebuild.folders(under: library.root)
    for path in folders {
      progress(Double(report.takes) / Double(folders.count))
      report.takes += 1
      do {
        let folder = try TakeFolder(existing: path, in: library.root)
        let contents = try library.shelved(try Manifest(of: folder).contents)
        try await compare(contents, path, &report)
        for file in contents.files where file.role != "journal" { check(file, in: folder, &report) }
        try checkLossless(contents, in: folder, &report)
      } catch let problem as FileProblem {
        report.findings.append(Finding(code: "unreadable", folder: path, text: problem.description))
      }
    }
    for shelf in TakeQuery.Shelf.allCases { try await checkIndexed(on: shelf, &report) }
    try await checkSongs(&report)
    try await checkPeople(&report)
    return report
  }

  private func compare(_ disk: TakeContents, _ path: String, _ report: inout Report) async throws {
    func tell(_ text: String) { report.findings.append(Finding(code: "differs", folder: path, text: text)) }
    let id = disk.take.id
    guard var known = try await index.take(id) else {
      report.findings.append(Finding(code: "not-indexed", folder: path, text: "the index does not know the take \(id)"))
      return
    }
    var take = disk.take
    take.trackCount = disk.tracks.count
    // A song's fields come from its own file.
    if take.song?.id == known.song?.id { take.song = known.song }
    // While the take is rendered again, its manifest is still the previous one.
    if known.state == .rendering { known.state = take.state }
    if take != known { tell("the index has other words of the take \(id) than its files: \(difference(take, known))") }
    if try await index.tracks(of: id) != disk.tracks.sorted(by: { $0.number < $1.number }) {
      tell("the index has other tracks of the take \(id) than its manifest")
    }
    if try await index.cues(of: id) != disk.cues.sorted(by: { ($0.position, $0.id) < ($1.position, $1.id) }) {
      tell("the index has other cues of the take \(id) than its files")
    }
    if try await index.files(of: id) != disk.files.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    {
      tell("the index has other files of the take \(id) than its manifest")
    }
  }

  private func difference(_ disk: Take, _ index: Take) -> String {
    var fields: [String] = []
    if disk.number != index.number { fields.append("number") }
    if disk.state != index.state { fields.append("state") }
    if disk.song != index.song { fields.append("song") }
    if disk.annotations != index.annotations { fields.append("annotations") }
    if disk.revision != index.revision { fields.append("revision") }
    if disk.folder != index.folder { fields.append("folder") }
    if disk.deletedAt != index.deletedAt { fields.append("deletedAt") }
    if disk.loudness != index.loudness { fields.append("loudness") }
    if disk.startedAt != index.startedAt || disk.endedAt != index.endedAt { fields.append("times") }
    if disk.length != index.length || disk.trackCount != index.trackCount { fields.append("length or tracks") }
    return fields.isEmpty ? "room or session" : fields.joined(separator: ", ")
  }

  func check(_ file: TakeFile, in folder: TakeFolder, _ report: inout Report) {
    report.files += 1
    func tell(_ code: String, _ text: String) {
      report.findings.append(Finding(code: code, folder: folder.path, text: text))
    }
    guard folder.has(file.name) else {
      // A copy in the object store comes back when it is needed.
      let objects = try? TakeObjects.read(TakeObjects.fileName, in: folder)
      if let copy = objects?.entry(file.name), copy.size == file.size, copy.digest.value == file.digest { return }
      return tell("file-missing", "\(file.name) is not there")
    }
    do {
      let size = try folder.size(of: file.name)
      guard size == file.size else {
        return tell("file-size", "\(file.name) has \(size) bytes, its manifest says \(file.size)")
      }
      guard readsFiles, let digest = file.digest, file.digestMethod == FileDigest.method else { return }
      guard try FileDigest(of: file.name, in: folder).value == digest else {
        return tell("file-digest", "\(file.name) has other bytes than those that its manifest has the digest of")
      }
    } catch {
      tell("unreadable", "\(error)")
    }
  }

  private func checkIndexed(on shelf: TakeQuery.Shelf, _ report: inout Report) async throws {
    var query = TakeQuery(shelf: shelf, sort: .oldest, limit: 200)
    repeat {
      let page = try await index.takes(query)
      for take in page.items where (try? TakeFolder(existing: take.folder, in: library.root)) == nil {
        report.findings.append(
          Finding(
            code: "not-on-disk", folder: take.folder,
            text: "the index has the take \(take.id), whose folder is not there", take: take.id))
      }
      query.cursor = page.next
    } while query.cursor != nil
  }
}
