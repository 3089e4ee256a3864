import Glibc
import Music

/// A folder with a name of its own until it is complete, so that nobody sees it half-finished.
final class NewFolder {
  let folder: TakeFolder
  private let name: String
  /// The name until `finish()`.
  private let part: String
  private let parent: TakeFolder
  /// Folders within it, the outer ones first, each with the one that holds it.
  private var inner: [(folder: TakeFolder, name: String, parent: TakeFolder)] = []

  /// Creates the unfinished version of the folder `name` in `parent`.
  ///
  /// - Throws: `FileProblem`, also if `name` already exists.
  init(_ name: String, in parent: TakeFolder) throws(FileProblem) {
    guard !parent.has(name) else {
      throw FileProblem(
        path: parent.label(name), operation: .create, code: EEXIST, detail: "choose another name, or move it")
    }
    guard FileComponent.isSafe(name) else {
      throw FileProblem(path: parent.label(name), operation: .create, code: EINVAL)
    }
    var part = TakeFolder.newPartName(name)
    while mkdirat(parent.descriptor.raw, part, Descriptor.folderMode) != 0 {
      guard errno == EEXIST else { throw FileProblem(path: parent.label(name), operation: .create, code: errno) }
      part = TakeFolder.newPartName(name)
    }
    let own = try Descriptor.open(
      part, in: parent.descriptor, flags: O_RDONLY | O_DIRECTORY, path: parent.label(part))
    folder = TakeFolder(path: parent.label(name), descriptor: own)
    self.name = name
    self.part = part
    self.parent = parent
  }

  /// Makes folders in each other and returns the innermost.
  /// - Throws: `FileProblem`.
  func descend(_ names: [String]) throws(FileProblem) -> TakeFolder {
    var folder = folder
    for name in names {
      let path = folder.label(name)
      _ = try TakeFolder.make(name, in: folder.descriptor, path: path)
      let own = try Descriptor.open(name, in: folder.descriptor, flags: O_RDONLY | O_DIRECTORY, path: path)
      let next = TakeFolder(path: path, descriptor: own)
      inner.append((next, name, folder))
      folder = next
    }
    return folder
  }

  /// Renames the folder to its final name once its contents are on disk.
  /// - Throws: `FileProblem`, with EEXIST if something has taken the name meanwhile.
  func finish() throws(FileProblem) {
    for inner in inner.reversed() { try inner.folder.synchronize() }
    try folder.synchronize()
    try parent.publish(part, as: name, replaces: false)
    try parent.synchronize()
  }

  /// Removes the folder and its contents.
  func abandon() {
    for (folder, name, parent) in inner.reversed() {
      for name in (try? folder.names()) ?? [] { try? folder.remove(name) }
      unlinkat(parent.descriptor.raw, name, AT_REMOVEDIR)
    }
    for name in (try? folder.names()) ?? [] { try? folder.remove(name) }
    unlinkat(parent.descriptor.raw, part, AT_REMOVEDIR)
  }
}
