import CLinux
import Glibc
import Music

extension TakeFolder {
  /// Folder levels between the data folder and a take's files: room, session, take.
  private static let depth = 3

  /// The sorted paths (relative to `root`) of all take folders with a journal; recovery examines these.
  package static func journals(under root: String) throws(FileProblem) -> [String] {
    try folders(holding: journalName, under: root)
  }

  /// The paths of all take folders with a manifest; the index is rebuilt from these.
  package static func manifests(under root: String) throws(FileProblem) -> [String] {
    try folders(holding: manifestName, under: root)
  }

  /// Bytes of all files of a room's takes in `trash`, a folder of the data folder; 0 if there are none.
  package static func bytes(of room: RoomName, inTrash trash: String, in root: String) throws(FileProblem) -> Int64 {
    let home = FileName.distinct(room.description, fallback: "room") + "/"
    guard let bin = try? descend(trash, from: try Descriptor.root(root)) else { return 0 }
    var bytes: Int64 = 0
    for name in try names(in: bin, path: trash) {
      // What is being removed at this moment counts no more.
      guard let folder = try? TakeFolder(existing: "\(trash)/\(name)", in: root),
        let edits = try? TakeEdits.read(TakeEdits.fileName, in: folder), edits.deletion?.from.hasPrefix(home) == true
      else { continue }
      bytes = bytes.addingReportingOverflow(folder.bytes).partialValue
    }
    return bytes
  }

  /// Bytes of all its files; what goes meanwhile counts no more.
  package var bytes: Int64 {
    ((try? names()) ?? []).reduce(0) { $0.addingReportingOverflow((try? size(of: $1)) ?? 0).partialValue }
  }

  /// Bytes of all files of a room's takes, the rolling one included, without the trash; 0 if it has none.
  package static func bytes(of room: RoomName, in root: String) throws(FileProblem) -> Int64 {
    let name = FileName.distinct(room.description, fallback: "room")
    guard let folder = try? descend(name, from: try Descriptor.root(root)) else { return 0 }
    var bytes: Int64 = 0
    try walk(folder, path: name, depth: depth - 1) { folder, path in
      for file in (try? names(in: folder, path: path)) ?? [] {
        bytes = bytes.addingReportingOverflow(max(0, jamjar_size_at(folder.raw, file))).partialValue
      }
    }
    return bytes
  }

  /// True if the data folder grants something to other users of the machine, as folders of earlier releases do.
  package static func isOpenToOthers(_ root: String) -> Bool { jamjar_is_open_to_others(root) != 0 }

  private static func folders(holding name: String, under root: String) throws(FileProblem) -> [String] {
    var found: [String] = []
    try walk(try Descriptor.root(root), path: "", depth: depth) { folder, path in
      if faccessat(folder.raw, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 { found.append(path) }
    }
    return found
  }

  /// Calls `visit` for every folder `depth` levels down, skipping links, files, the song book and the trash.
  private static func walk(
    _ folder: Descriptor, path: String, depth: Int, visit: (Descriptor, String) -> Void
  ) throws(FileProblem) {
    guard depth > 0 else {
      visit(folder, path)
      return
    }
    for name in try names(in: folder, path: path) where !path.isEmpty || !name.hasPrefix(reservedPrefix) {
      let inner = path.isEmpty ? name : "\(path)/\(name)"
      guard let next = try? Descriptor.open(name, in: folder, flags: O_RDONLY | O_DIRECTORY, path: inner) else {
        continue
      }
      try walk(next, path: inner, depth: depth - 1, visit: visit)
    }
  }

  /// Deletes the take at `path` with all its files, the journal first, then parent folders that become empty.
  ///
  /// It can be repeated after an interruption; a missing take is not an error.
  package static func delete(_ path: String, in root: String) throws(FileProblem) {
    guard let components = FileComponent.split(path), let last = components.last else {
      throw FileProblem(
        path: path, operation: .remove, code: EINVAL, detail: "it must be a relative path of plain names")
    }
    let folder: TakeFolder
    do throws(FileProblem) {
      folder = try TakeFolder(existing: path, in: root)
    } catch  where error.isMissing {
      return
    }
    // Once the journal is gone, recovery cannot bring the take back.
    try folder.remove(journalName)
    try folder.removeAll()

    var above = components.dropLast()
    var name = last
    var attempts = 1
    while true {
      let base = try Descriptor.root(root)
      let parent = above.isEmpty ? base : try descend(above.joined(separator: "/"), from: base)
      guard unlinkat(parent.raw, name, AT_REMOVEDIR) == 0 else {
        let isTake = above.count == components.count - 1
        // Other takes of the session keep the parent folders.
        guard isTake, errno != ENOENT else { return }
        // One more file may have been written meanwhile: the list of the take's objects, say.
        guard errno == ENOTEMPTY, attempts < mostAttempts else {
          throw FileProblem(path: path, operation: .remove, code: errno)
        }
        attempts += 1
        try folder.removeAll()
        continue
      }
      try parent.synchronize(path: path)
      guard let next = above.popLast() else { return }
      name = next
    }
  }

  /// How often a folder that others still write to is emptied.
  private static let mostAttempts = 100

  private func removeAll() throws(FileProblem) {
    for name in try names() { try remove(name) }
  }
}
