import Music
import Recording

/// The folders of exports on disk: found at the start, removed when they expire. Blocks on the disk.
struct ExportShelf: Sendable {
  /// The data folder.
  let recordings: String

  /// Name and version of this release; see `Attempts`.
  let software: String

  /// An export that is to be made, as kept beside its files until it is done.
  struct Waiting: Sidecar {
    static let currentVersion = 1
    static let fileName = "order.json"
    /// Cues are in it twice. Less than the 16 MiB of a line to a worker, which has the order without blanks.
    static let sizeLimit = 15 << 20
    /// It contains the manifest.
    static let hasInfinity = true

    var version = Waiting.currentVersion
    var job: ExportJob
    var order: ExportOrder

    /// What the order says is checked by the process that carries it out.
    func check() {}
  }

  /// The name of the file that counts attempts to make an export.
  private static let attemptsName = "attempts.json"

  /// Finds the exports of former processes, finished or still to be made, and removes what belongs to none.
  func sweep() throws(FileProblem) -> (finished: [ExportJob], waiting: [Waiting]) {
    let root = try TakeFolder.obtain(ExportMaker.root, in: recordings)
    var finished: [ExportJob] = []
    var waiting: [Waiting] = []
    for name in try root.names() {
      if let job = self.finished(name) {
        finished.append(job)
      } else if let left = self.waiting(name) {
        waiting.append(left)
      } else {
        remove(name)
      }
    }
    return (finished, waiting.sorted { ($0.job.createdAt, $0.job.id) < ($1.job.createdAt, $1.job.id) })
  }

  private func waiting(_ id: String) -> Waiting? {
    guard ExportJob.isIdentifier(id),
      let folder = try? TakeFolder(existing: ExportMaker.path(of: id), in: recordings),
      let found = (try? Waiting.read(Waiting.fileName, in: folder)) ?? nil, found.job.id == id
    else { return nil }
    return found
  }

  /// Writes down an export that is to be made, so that a restart does not lose it.
  /// - Throws: `FileProblem`, `isTooLarge` if no process could be given the order.
  func store(_ job: ExportJob, _ order: ExportOrder) throws {
    let folder = try TakeFolder.obtain(ExportMaker.path(of: job.id), in: recordings)
    try Waiting(job: job, order: order).write(Waiting.fileName, in: folder)
  }

  /// The count of attempts at an export.
  func attempts(at id: String) throws(FileProblem) -> AttemptCount {
    let folder = try TakeFolder.obtain(ExportMaker.path(of: id), in: recordings)
    return AttemptCount(ExportShelf.attemptsName, in: folder, by: software)
  }

  /// Removes what an unfinished attempt left.
  func clear(_ id: String) {
    clear(id, except: [Waiting.fileName, ExportShelf.attemptsName])
  }

  private func clear(_ id: String, except kept: Set<String>) {
    let path = ExportMaker.path(of: id)
    guard let folder = try? TakeFolder(existing: path, in: recordings) else { return }
    for name in (try? folder.names()) ?? [] where !kept.contains(name) {
      // Projects are put together in a folder of their own.
      if (try? folder.remove(name)) == nil { try? TakeFolder.delete("\(path)/\(name)", in: recordings) }
    }
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
    let folder = try TakeFolder(existing: ExportMaker.path(of: job.id), in: recordings)
    try folder.write(job.record, as: ExportJob.recordName)
    for name in [Waiting.fileName, ExportShelf.attemptsName] { try folder.remove(name) }
  }

  /// Removes an export's folder, the record first: without it, the rest counts as unfinished.
  func remove(_ id: String) {
    let path = ExportMaker.path(of: id)
    if let folder = try? TakeFolder(existing: path, in: recordings) { try? folder.remove(ExportJob.recordName) }
    clear(id, except: [])
    // Remaining files are removed at the next start.
    try? TakeFolder.delete(path, in: recordings)
  }
}
