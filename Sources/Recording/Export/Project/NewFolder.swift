import Glibc

/// A folder with a temporary name until it is complete, so that nobody sees it half-finished.
final class NewFolder {
  let folder: TakeFolder
  private let name: String
  private let parent: TakeFolder

  /// Creates the folder `name.part` in `parent`, or empties one left by an interrupted export.
  ///
  /// - Throws: `FileProblem`, also if `name` already exists.
  init(_ name: String, in parent: TakeFolder) throws(FileProblem) {
    guard !parent.has(name) else {
      throw FileProblem(
        path: parent.label(name), operation: .create, code: EEXIST, detail: "choose another name, or move it")
    }
    let part = TakeFolder.partName(name)
    guard FileComponent.isSafe(part) else {
      throw FileProblem(path: parent.label(name), operation: .create, code: EINVAL)
    }
    guard mkdirat(parent.descriptor.raw, part, Descriptor.folderMode) == 0 || errno == EEXIST else {
      throw FileProblem(path: parent.label(part), operation: .create, code: errno)
    }
    let own = try Descriptor.open(
      part, in: parent.descriptor, flags: O_RDONLY | O_DIRECTORY, path: parent.label(part))
    folder = TakeFolder(path: parent.label(part), descriptor: own)
    self.name = name
    self.parent = parent
    for name in try folder.names() { try folder.remove(name) }
  }

  /// Renames the folder to its final name once its contents are on disk.
  func finish() throws(FileProblem) {
    try folder.synchronize()
    guard renameat(parent.descriptor.raw, TakeFolder.partName(name), parent.descriptor.raw, name) == 0 else {
      throw FileProblem(path: parent.label(name), operation: .rename, code: errno)
    }
    try parent.synchronize()
  }

  /// Removes the folder and its contents.
  func abandon() {
    for name in (try? folder.names()) ?? [] { try? folder.remove(name) }
    unlinkat(parent.descriptor.raw, TakeFolder.partName(name), AT_REMOVEDIR)
  }
}
