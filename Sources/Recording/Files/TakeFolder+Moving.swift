import CLinux
import Glibc

extension TakeFolder {
  /// What the names of folders begin with that are no room's: rooms' names never do (`FileName`).
  package static let reservedPrefix = "_"

  /// Opens the folder at `path`, making it and those above where they are missing.
  package static func obtain(_ path: String, in root: String) throws(FileProblem) -> TakeFolder {
    guard let components = FileComponent.split(path) else {
      throw FileProblem(
        path: path, operation: .create, code: EINVAL, detail: "it must be a relative path of plain names")
    }
    var parent = try Descriptor.root(root)
    for component in components {
      _ = try make(component, in: parent, path: path)
      parent = try Descriptor.open(component, in: parent, flags: O_RDONLY | O_DIRECTORY, path: path)
    }
    return try TakeFolder(existing: path, in: root)
  }

  /// Moves the folder at `source` to `target`, both relative to `root`, in one step that lasts through a power loss;
  /// folders above the source that become empty are removed.
  ///
  /// - Throws: `FileProblem` with EEXIST where there is something at `target`.
  package static func move(_ source: String, to target: String, in root: String) throws(FileProblem) {
    guard let from = FileComponent.split(source), let to = FileComponent.split(target), let name = from.last,
      let newName = to.last
    else {
      throw FileProblem(
        path: "\(source) to \(target)", operation: .rename, code: EINVAL,
        detail: "both must be relative paths of plain names")
    }
    let base = try Descriptor.root(root)
    let oldParent = from.count > 1 ? try descend(from.dropLast().joined(separator: "/"), from: base) : base
    let newParent = to.count > 1 ? try obtain(to.dropLast().joined(separator: "/"), in: root).descriptor : base
    // Not over an empty folder either, which plain rename(2) would replace.
    guard jamjar_rename_new(oldParent.raw, name, newParent.raw, newName) == 0 else {
      throw FileProblem(path: "\(source) to \(target)", operation: .rename, code: errno)
    }
    try newParent.synchronize(path: target)
    try oldParent.synchronize(path: source)
    removeEmptyFolders(above: from, in: base)
  }

  /// Removes the folders above a path that have nothing in them; what is not empty stays.
  private static func removeEmptyFolders(above components: [String], in base: Descriptor) {
    var above = components.dropLast()
    while let name = above.popLast(), !name.hasPrefix(reservedPrefix) {
      guard let parent = above.isEmpty ? base : try? descend(above.joined(separator: "/"), from: base),
        unlinkat(parent.raw, name, AT_REMOVEDIR) == 0
      else { return }
      try? parent.synchronize(path: name)
    }
  }
}
