import CLinux
import Glibc
import Music

/// The folder of one take: every path of a recording is made here, and every file in it is opened through here.
///
/// It holds the folder open, so a folder that is renamed or replaced by a link meanwhile changes nothing.
package final class TakeFolder: Sendable {
  /// The folder's path relative to the data folder; what `Take.folder` has to say.
  package let path: String
  let descriptor: Descriptor

  /// The journal's file name.
  package static let journalName = "take.journal"
  /// The manifest's file name.
  package static let manifestName = "manifest.json"
  /// What the names of unfinished files end in.
  package static let partSuffix = ".part"
  /// How many folders of the same name are tried before `create` gives up.
  private static let maximumAttempts = 100

  init(path: String, descriptor: Descriptor) {
    self.path = path
    self.descriptor = descriptor
  }

  /// Opens the folder at `path` (relative to `root`), following no link.
  package convenience init(existing path: String, in root: String) throws(FileProblem) {
    self.init(path: path, descriptor: try TakeFolder.descend(path, from: try Descriptor.root(root)))
  }

  /// Makes the folder that `take.folder` names, with the folders above it, and syncs them all.
  ///
  /// Where that folder exists already and holds something, a number is added ("…-2"): compare `path` with `take.folder`
  /// and keep `path`.
  package static func create(for take: Take, in root: String) throws(FileProblem) -> TakeFolder {
    guard let components = FileComponent.split(take.folder), let last = components.last else {
      throw FileProblem(
        path: take.folder, operation: .create, code: EINVAL, detail: "it must be a relative path of plain names")
    }
    var parent = try Descriptor.root(root)
    for (index, component) in components.dropLast().enumerated() {
      let path = components.prefix(index + 1).joined(separator: "/")
      _ = try make(component, in: parent, path: path)
      parent = try Descriptor.open(component, in: parent, flags: O_RDONLY | O_DIRECTORY, path: path)
    }
    for attempt in 1...maximumAttempts {
      let name = attempt == 1 ? last : "\(last)-\(attempt)"
      let path = (components.dropLast() + [name]).joined(separator: "/")
      let isNew = try make(name, in: parent, path: path)
      // Something else of that name (a file, a planted link) is passed by like a full folder.
      guard let own = try? Descriptor.open(name, in: parent, flags: O_RDONLY | O_DIRECTORY, path: path) else {
        continue
      }
      let folder = TakeFolder(path: path, descriptor: own)
      if isNew { return folder }
      if try folder.names().isEmpty { return folder }
    }
    throw FileProblem(path: take.folder, operation: .create, code: EEXIST)
  }

  /// The folder of `take` for its journal, which was deleted: the folder that is left, or a new one in its place.
  package static func restore(for take: Take, in root: String) throws(FileProblem) -> TakeFolder {
    if let left = try? TakeFolder(existing: take.folder, in: root), !left.has(journalName) { return left }
    let folder = try create(for: take, in: root)
    guard folder.path == take.folder else {
      throw FileProblem(path: take.folder, operation: .create, code: EEXIST)
    }
    return folder
  }

  /// Makes the folder `name` unless it is there; true where it is new.
  static func make(_ name: String, in parent: Descriptor, path: String) throws(FileProblem) -> Bool {
    guard mkdirat(parent.raw, name, Descriptor.folderMode) == 0 else {
      guard errno == EEXIST else { throw FileProblem(path: path, operation: .create, code: errno) }
      return false
    }
    try parent.synchronize(path: path)
    return true
  }

  /// Opens one folder after the other, so that no part of `path` can be a link.
  static func descend(_ path: String, from root: Descriptor) throws(FileProblem) -> Descriptor {
    guard let components = FileComponent.split(path) else {
      throw FileProblem(
        path: path, operation: .open, code: EINVAL, detail: "it must be a relative path of plain names")
    }
    var folder = root
    for component in components {
      folder = try Descriptor.open(component, in: folder, flags: O_RDONLY | O_DIRECTORY, path: path)
    }
    return folder
  }

  /// `path/name`, for messages.
  package func label(_ name: String) -> String { "\(path)/\(name)" }
}
