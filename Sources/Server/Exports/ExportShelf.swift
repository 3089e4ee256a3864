import Music
import Recording

/// The folders of exports on the disk: found at the start, removed when their time is over. Blocks on the disk.
struct ExportShelf: Sendable {
  /// The data folder.
  let recordings: String

  /// The finished exports that a former process left; what is half done is removed.
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

  /// Writes what a later process has to know of a finished export.
  func record(_ job: ExportJob) throws(FileProblem) {
    try TakeFolder(existing: ExportMaker.path(of: job.id), in: recordings).write(job.record, as: ExportJob.recordName)
  }

  /// Removes an export's folder, the record first: without it the rest is half done.
  func remove(_ id: String) {
    let path = ExportMaker.path(of: id)
    if let folder = try? TakeFolder(existing: path, in: recordings) { try? folder.remove(ExportJob.recordName) }
    // What cannot be removed now is removed at the next start.
    try? TakeFolder.delete(path, in: recordings)
  }
}
