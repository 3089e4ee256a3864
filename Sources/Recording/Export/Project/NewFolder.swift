import Glibc

/// A folder that has another name until everything is in it: nobody ever sees half of it.
final class NewFolder {
  let folder: TakeFolder
  private let name: String
  private let parent: TakeFolder

  /// Makes the folder `name.part` in `parent`, or empties one that an interrupted export left.
  ///
  /// - Throws: `FileProblem`, also where there is something called `name` already.
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

  /// Gives the folder its name, with everything in it on the disk.
  func finish() throws(FileProblem) {
    try folder.synchronize()
    guard renameat(parent.descriptor.raw, TakeFolder.partName(name), parent.descriptor.raw, name) == 0 else {
      throw FileProblem(path: parent.label(name), operation: .rename, code: errno)
    }
    try parent.synchronize()
  }

  /// Removes the folder with everything in it.
  func abandon() {
    for name in (try? folder.names()) ?? [] { try? folder.remove(name) }
    unlinkat(parent.descriptor.raw, TakeFolder.partName(name), AT_REMOVEDIR)
  }
}
