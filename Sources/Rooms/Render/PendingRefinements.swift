import Library
import Music
import Recording

/// The takes whose second look is not over, on disk: a stop or a kill in between only delays it.
///
/// One empty file for each, named by its take, in a folder below the data folder.
struct PendingRefinements: Sendable {
  private static let place = TakeFolder.reservedPrefix + "second-looks"

  /// The data folder.
  let root: String
  private let errands = DiskErrands()

  init(root: String) {
    self.root = root
  }

  /// Takes that earlier processes left.
  var takes: Set<TakeID> {
    let names = try? TakeFolder(existing: PendingRefinements.place, in: root).names()
    return Set((names ?? []).compactMap { TakeID($0) })
  }

  /// Notes durably that `take` will be examined.
  /// - Throws: `FileProblem`.
  func add(_ take: TakeID) async throws(FileProblem) {
    try await errands.run { [root] () throws(FileProblem) in
      let folder = try TakeFolder.obtain(PendingRefinements.place, in: root)
      if !folder.has("\(take)") { try folder.createEmpty("\(take)") }
    }
  }

  /// Forgets `take`.
  /// - Throws: `FileProblem`.
  func remove(_ take: TakeID) async throws(FileProblem) {
    try await errands.run { [root] () throws(FileProblem) in
      guard let folder = try? TakeFolder(existing: PendingRefinements.place, in: root) else { return }
      try folder.remove("\(take)")
    }
  }
}
