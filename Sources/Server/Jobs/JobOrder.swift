import Foundation
import Music
import Recording
import Rooms

/// Work on files that a fault in them may break: an export, the alignment of a backup, the segments for listening, takes of
/// existing recordings, the decoding of a backing track.
enum JobOrder: Sendable, Codable {
  /// An export by its identifier.
  case export(id: String, ExportOrder)
  /// The alignment of a backup of the take in `folder`, relative to the data folder.
  case alignment(Backup, folder: String)
  /// The listening road of the take in `folder`.
  case listening(folder: String)
  /// A part of an import.
  case importing(ImportOrder)
  /// The decoding of the file that was sent as a backing track to `folder`.
  case backing(folder: String)
  /// The archive of a session's streams.
  case streams(StreamArchiveOrder)
}

extension JobOrder {
  /// The folders of the takes whose sound it reads.
  var soundFolders: [String] {
    switch self {
    case .export(_, let order): [order.source.take.folder]
    case .alignment(_, let folder), .listening(let folder): [folder]
    case .streams(let order): order.spans.map(\.folder)
    case .importing, .backing: []
    }
  }
}

/// What a job has made.
enum JobResult: Sendable, Codable {
  /// The name of the export's file, and its size in bytes.
  case exported(file: String, size: Int64)
  case aligned(LosslessTracks.Entry)
  /// The number of files for listening that were missing.
  case listening(made: Int)
  /// The takes that the files of an import make.
  case planned([PlannedTake])
  /// The manifest of a take, which is not in its folder yet.
  case imported(Manifest)
  /// A backing track, of that length in samples and with files of so many bytes.
  case backing(length: Int64, bytes: Int64)
  /// The file is none that can be a backing track.
  case backingRefused(BackingRefusal)
  case streams(StreamArchiveFile)
}

/// A job and the folders that it needs, which are opened at once: a confined process can open nothing above them.
struct JobWork {
  private let order: JobOrder
  /// The take's folder, or that of the files to import.
  private let take: TakeFolder
  /// Where the files go.
  private let target: TakeFolder
  private let root: String
  /// The takes of which an archive is made.
  private let takes: [TakeFolder]
  /// The backing tracks of the take that the order asks for, or why there are none.
  private let backings: Result<[BackingSource], ExportProblem>

  /// - Parameter root: the data folder.
  /// - Throws: `FileProblem`.
  init(_ order: JobOrder, root: String) throws(FileProblem) {
    (self.order, self.root) = (order, root)
    var takes: [TakeFolder] = []
    if case .streams(let order) = order {
      if order.product == .mix { AACMixEncoder.prepare() }
      for span in order.spans { takes.append(try TakeFolder(existing: span.folder, in: root)) }
    }
    self.takes = takes
    switch order {
    case .export(let id, let order):
      backings =
        order.request.hasBacking
        ? Result { () throws(ExportProblem) in try BackingSource.all(of: order.source.manifest, in: root) }
        : .success([])
      take = try TakeFolder(existing: order.source.take.folder, in: root)
      target = try TakeFolder.obtain(ExportMaker.path(of: id), in: root)
    case .alignment(_, let folder), .listening(let folder), .backing(let folder):
      backings = .success([])
      take = try TakeFolder(existing: folder, in: root)
      target = take
    case .streams(let order):
      backings = .success([])
      target = try TakeFolder.obtain(OpenTokArchiveStore.path(of: order.id), in: root)
      take = target
    case .importing(let order):
      backings = .success([])
      // Times of files are read as local ones; the description of the time zone is out of reach later.
      _ = TimeZone.current.secondsFromGMT()
      take = try TakeFolder(existing: ImportShelf.filesPath(of: order.id), in: root)
      switch order.task {
      case .plan: target = take
      case .make(_, _, _, _, let workshop): target = try TakeFolder(existing: workshop, in: root)
      }
    }
  }

  var confinement: Confinement {
    switch order {
    case .export:
      Confinement(
        [(take, .read), (target, .write)]
          + BackingSource.folders(of: (try? backings.get()) ?? []).map { ($0, .read) })
    case .alignment, .listening, .backing: Confinement([(take, .write)])
    case .streams: Confinement(takes.map { ($0, .read) } + [(target, .write)])
    // Packets wait in temporary files.
    case .importing: Confinement(take === target ? [(take, .write)] : [(take, .read), (target, .write)])
    }
  }

  /// Does the work on this thread.
  ///
  /// - Parameter progress: receives the fraction done, or nil where it is unknown; an error it throws ends the work.
  /// - Throws: `BackupRefusal`, `FileProblem`, `ExportProblem`, errors of `progress`; no file is left, except by an import in its
  ///   own folder.
  func run(progress: @escaping (Double?) throws -> Void) throws -> JobResult {
    switch order {
    case .export(_, let order):
      let made = try ExportMaker(take: take, target: target, backings: try backings.get()).make(order) {
        try progress($0)
      }
      return .exported(file: made.file, size: made.size)
    case .alignment(let backup, _):
      return .aligned(try LosslessMaker(in: take).make(backup) { try progress(nil) })
    case .listening:
      return .listening(made: try ListeningMaker(in: take).make { try progress(nil) })
    case .importing(let order):
      return try ImportMaker(order: order, source: take, target: target, root: root).run(progress: progress)
    case .streams(let order):
      let maker = StreamArchiveMaker(order, takes: takes, target: target)
      return .streams(try maker.make(encoder: AACMixEncoder.best, progress: progress))
    case .backing:
      do {
        let made = try BackingMaker(in: take).make { try progress(nil) }
        return .backing(length: made.length, bytes: made.bytes)
      } catch let refusal as BackingRefusal {
        return .backingRefused(refusal)
      }
    }
  }
}
