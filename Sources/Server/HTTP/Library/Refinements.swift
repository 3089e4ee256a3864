import Music
import NIOPosix
import Recording
import Synchronization

/// The refinements that manifests tell of, remembered while the manifest is the same file: parsing one takes longer than
/// all the rest of an answer.
final class Refinements: Sendable {
  /// What a manifest says.
  struct Known: Hashable, Sendable {
    /// Nil without one.
    fileprivate var manifest: FileStatus?
    var refinement: Refinement?
  }

  /// Most takes remembered, some hundred bytes each.
  private static let most = 4_096

  private let entries = Mutex<[TakeID: Known]>([:])

  /// What is known of the manifest in `folder`, without reading it; nil if it is new or has changed.
  /// - Parameter folder: nil for a take that has none.
  func known(of take: TakeID, in folder: TakeFolder?) -> Known? {
    guard let status = folder?.status(of: TakeFolder.manifestName) else { return Known() }
    return entries.withLock { $0[take] }.flatMap { $0.manifest == status ? $0 : nil }
  }

  /// The refinement of `take`; nil if there was none, or the manifest cannot be read.
  func find(of take: Take, in root: String) async -> Refinement? {
    try? await NIOThreadPool.singleton.runIfActive {
      let folder = try TakeFolder(existing: take.folder, in: root)
      if let known = self.known(of: take.id, in: folder) { return known.refinement }
      // Before the contents: should the file be replaced in between, it is read again next time.
      let status = folder.status(of: TakeFolder.manifestName)
      let known = Known(manifest: status, refinement: try Manifest(of: folder).refinement)
      self.entries.withLock { entries in
        if entries.count >= Refinements.most { entries.removeAll() }
        entries[take.id] = known
      }
      return known.refinement
    }
  }
}

extension Refinement {
  /// The refinement of `take`; nil if there was none, or the manifest cannot be read.
  package static func known(of take: Take, in root: String) async -> Refinement? {
    try? await NIOThreadPool.singleton.runIfActive {
      try Manifest(of: TakeFolder(existing: take.folder, in: root)).refinement
    }
  }
}
