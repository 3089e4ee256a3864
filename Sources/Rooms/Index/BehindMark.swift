import Recording

/// `_library/index-behind`: there while the index lacks something that was recorded, so that the next start knows, however
/// this one ends.
struct BehindMark: Sendable {
  private static let name = "index-behind"
  private static let text = "The index lacks takes or sessions that are on the disk; the service adds them by itself.\n"

  /// The data folder.
  let root: String

  var isThere: Bool {
    (try? TakeFolder(existing: Library.folder, in: root))?.has(BehindMark.name) ?? false
  }

  /// - Throws: `FileProblem`.
  func set() throws {
    try TakeFolder.obtain(Library.folder, in: root).write(Array(BehindMark.text.utf8), as: BehindMark.name)
  }

  func remove() throws {
    let folder = try TakeFolder(existing: Library.folder, in: root)
    try folder.remove(BehindMark.name)
    try folder.synchronize()
  }
}
