import Foundation
import Library
import Music
import Recording
import Rooms

/// The folders of imports on disk, with the files that were sent. Blocks on the disk.
struct ImportShelf: Sendable {
  /// The data folder.
  let recordings: String
  /// Name and version of this release; see `Attempts`.
  let software: String

  /// The folder of all imports in the data folder. No folder of a room begins with `_`.
  static let root = "_incoming"
  private static let attemptsName = "attempts.json"

  /// An import as kept beside its files.
  private struct Record: Sidecar {
    static let currentVersion = 1
    static let fileName = "import.json"

    var version = Record.currentVersion
    var job: ImportJob

    /// Nothing is calculated with its numbers but what the disk says.
    func check() {}
  }

  static func path(of id: ImportID) -> String { "\(root)/\(id)" }
  /// The folder of the files that were sent, under the names that their sender gave them.
  static func filesPath(of id: ImportID) -> String { "\(path(of: id))/files" }

  /// Finds the imports of former processes, and removes what belongs to none.
  /// - Parameter report: receives those that cannot be read: of a later release, or of a disk that fails today. They stay.
  func sweep(report: (ImportID, any Error) -> Void) throws(FileProblem) -> [ImportJob] {
    let root = try TakeFolder.obtain(ImportShelf.root, in: recordings)
    var jobs: [ImportJob] = []
    for name in try root.names() {
      guard let id = ImportID(name) else { continue }
      do {
        if let job = try job(id) { jobs.append(job) } else { remove(id) }
      } catch {
        report(id, error)
      }
    }
    return jobs
  }

  /// Nil for one that was never begun, or whose files are gone.
  private func job(_ id: ImportID) throws(FileProblem) -> ImportJob? {
    let folder = try TakeFolder(existing: ImportShelf.path(of: id), in: recordings)
    guard var job = try Record.read(Record.fileName, in: folder)?.job, job.id == id else { return nil }
    guard !job.state.isOver else { return job }
    let files: TakeFolder
    do throws(FileProblem) {
      files = try TakeFolder(existing: ImportShelf.filesPath(of: id), in: recordings)
    } catch  where error.isMissing {
      return nil
    }
    for index in job.files.indices {
      guard let upload = try files.upload(job.files[index].name) else { return nil }
      job.files[index].received = upload.size
      if !job.files[index].isComplete { job.touchedAt = max(job.touchedAt, upload.modified) }
    }
    // A process ended during the work.
    job.state = job.isComplete ? .queued : .receiving
    return job
  }

  /// Creates the folder of an import with its empty files.
  func create(_ job: ImportJob) throws {
    let files = try TakeFolder.obtain(ImportShelf.filesPath(of: job.id), in: recordings)
    for file in job.files { try files.createEmpty(file.name) }
    // Last: without it the rest belongs to nothing.
    try record(job)
  }

  func record(_ job: ImportJob) throws {
    try Record(job: job).write(
      Record.fileName, in: TakeFolder(existing: ImportShelf.path(of: job.id), in: recordings))
  }

  func attempts(at id: ImportID) throws(FileProblem) -> AttemptCount {
    AttemptCount(
      ImportShelf.attemptsName, in: try TakeFolder(existing: ImportShelf.path(of: id), in: recordings), by: software)
  }

  /// Removes the files that were sent.
  func removeFiles(of id: ImportID) { try? TakeFolder.delete(ImportShelf.filesPath(of: id), in: recordings) }

  /// Removes the record of an import: what is left of it belongs to nothing.
  func forget(_ id: ImportID) {
    guard let folder = try? TakeFolder(existing: ImportShelf.path(of: id), in: recordings) else { return }
    try? folder.remove(Record.fileName)
  }

  /// Removes all of an import, its record first.
  func remove(_ id: ImportID) {
    forget(id)
    removeFiles(of: id)
    try? TakeFolder.delete(ImportShelf.path(of: id), in: recordings)
  }
}
