import Music
import Recording

/// The folders of exports on disk: found at the start, removed when they expire. Blocks on the disk.
struct ExportShelf: Sendable {
  /// The data folder.
  let recordings: String

  /// Finds the finished exports of former processes, and removes unfinished ones.
  func sweep() throws(FileProblem) -> [ExportJob] {
    let root = try TakeFolder.obtain(ExportMaker.root, in: recordings)
    var found: [ExportJob] = []
    for name in try root.names() {
      if let job = finished(name) {
        found.append(job)
      } else {
        remove(name)
      }
    }
    return found
  }

  private func finished(_ id: String) -> ExportJob? {
    guard ExportJob.isIdentifier(id),
      let folder = try? TakeFolder(existing: ExportMaker.path(of: id), in: recordings),
      let record = try? folder.read(ExportJob.recordName, limit: ExportJob.maximumRecord),
      let job = ExportJob(record: record), job.id == id, let file = job.file, file != ExportJob.recordName,
      (try? folder.size(of: file)) == job.size
    else { return nil }
    return job
  }

  /// Writes the record of a finished export for later processes.
  func record(_ job: ExportJob) throws(FileProblem) {
    try TakeFolder(existing: ExportMaker.path(of: job.id), in: recordings).write(job.record, as: ExportJob.recordName)
  }

  /// Removes an export's folder, the record first: without it, the rest counts as unfinished.
  func remove(_ id: String) {
    let path = ExportMaker.path(of: id)
    if let folder = try? TakeFolder(existing: path, in: recordings) { try? folder.remove(ExportJob.recordName) }
    // Remaining files are removed at the next start.
    try? TakeFolder.delete(path, in: recordings)
  }
}
