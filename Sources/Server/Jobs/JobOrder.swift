import Music
import Recording
import Rooms

/// Work on a finished take that a fault in its files may break: an export, or the alignment of a backup.
enum JobOrder: Sendable, Codable {
  /// An export by its identifier.
  case export(id: String, ExportOrder)
  /// The alignment of a backup of the take in `folder`, relative to the data folder.
  case alignment(Backup, folder: String)
}

/// What a job has made.
enum JobResult: Sendable, Codable {
  /// The name of the export's file, and its size in bytes.
  case exported(file: String, size: Int64)
  case aligned(LosslessTracks.Entry)
}

/// A job and the folders that it needs, which are opened at once: a confined process can open nothing above them.
struct JobWork {
  private let order: JobOrder
  private let take: TakeFolder
  /// Where the files go.
  private let target: TakeFolder

  /// - Parameter root: the data folder.
  /// - Throws: `FileProblem`.
  init(_ order: JobOrder, root: String) throws(FileProblem) {
    self.order = order
    switch order {
    case .export(let id, let order):
      take = try TakeFolder(existing: order.source.take.folder, in: root)
      target = try TakeFolder.obtain(ExportMaker.path(of: id), in: root)
    case .alignment(_, let folder):
      take = try TakeFolder(existing: folder, in: root)
      target = take
    }
  }

  var confinement: Confinement {
    switch order {
    case .export: Confinement([(take, .read), (target, .write)])
    case .alignment: Confinement([(take, .write)])
    }
  }

  /// Does the work on this thread.
  ///
  /// - Parameter progress: receives the fraction done, or nil where it is unknown; an error it throws ends the work.
  /// - Throws: `BackupRefusal`, `FileProblem`, `ExportProblem`, errors of `progress`; no file is left.
  func run(progress: @escaping (Double?) throws -> Void) throws -> JobResult {
    switch order {
    case .export(_, let order):
      let made = try ExportMaker(take: take, target: target).make(order) { try progress($0) }
      return .exported(file: made.file, size: made.size)
    case .alignment(let backup, _):
      return .aligned(try LosslessMaker(in: take).make(backup) { try progress(nil) })
    }
  }
}
