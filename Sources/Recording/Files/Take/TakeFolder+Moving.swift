import CLinux
import Glibc

extension TakeFolder {
  /// Prefix of folders that do not belong to a room; names of rooms' folders never begin with it (`FileName`).
  package static let reservedPrefix = "_"

  /// Opens the folder at `path`, creating it and its parents if they are missing.
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

  /// Moves the folder at `source` to `target`, both relative to `root`, durably in one step; parents of the source
  /// that become empty are removed.
  ///
  /// - Throws: `FileProblem` with EEXIST if `target` exists.
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
    // An empty folder, which plain rename(2) would replace, must not be overwritten either.
    guard jamjar_rename_new(oldParent.raw, name, newParent.raw, newName) == 0 else {
      throw FileProblem(path: "\(source) to \(target)", operation: .rename, code: errno)
    }
    try newParent.synchronize(path: target)
    try oldParent.synchronize(path: source)
    removeEmptyFolders(above: from, in: base)
  }

  /// Removes the empty folders above a path.
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

extension TakeFolder {
  /// Bytes copied between two progress reports.
  private static let stretch: Int64 = 32 << 20

  /// Copies the file `source` of another folder to `name`; `synchronize()` makes that durable.
  ///
  /// If the file system can share blocks between files, the copy takes no space. The file gets its name only when
  /// complete; an error thrown by `progress` stops the copy and leaves nothing.
  ///
  /// - Parameters:
  ///   - replaces: true to replace an existing file.
  ///   - progress: receives the fraction done, 0 to 1.
  ///   - check: receives the open source first; what it throws ends the copy. The file stays the same, whatever gets
  ///     its name meanwhile.
  /// - Returns: the length in bytes.
  /// - Throws: `FileProblem`, and errors of `check` and `progress`.
  func copy(
    _ source: String, of folder: TakeFolder, as name: String, replaces: Bool = true,
    check: (Descriptor) throws -> Void = { _ in }, progress: (Double) throws -> Void
  ) throws -> Int64 {
    let input = try folder.open(source)
    try check(input)
    let length = try input.length(path: folder.label(source))
    let (output, part) = try createPart(of: name)
    do {
      if jamjar_share_blocks(output.raw, input.raw) != 0 {
        var done: Int64 = 0
        while done < length {
          done += try copyStretch(input, output, at: done, count: min(TakeFolder.stretch, length - done), label(name))
          try progress(Double(done) / Double(max(1, length)))
        }
      }
      try progress(1)
      try output.synchronize(path: label(name))
      try publish(part, as: name, replaces: replaces)
    } catch {
      try? remove(part)
      throw error
    }
    return length
  }

  /// Copies up to `count` bytes inside the kernel, or through memory if the file systems do not support that.
  private func copyStretch(
    _ input: Descriptor, _ output: Descriptor, at offset: Int64, count: Int64, _ path: String
  ) throws(FileProblem) -> Int64 {
    let copied = jamjar_copy_range(input.raw, output.raw, off_t(offset), Int(count))
    if copied > 0 { return Int64(copied) }
    if copied < 0, errno == ENOSPC || errno == EDQUOT || errno == EIO {
      throw FileProblem(path: path, operation: .write, code: errno)
    }
    let bytes = try input.read(at: offset, count: Int(min(count, 1 << 20)), path: path)
    guard !bytes.isEmpty else {
      throw FileProblem(path: path, operation: .read, code: 0, detail: "its original became shorter meanwhile")
    }
    var problem: FileProblem?
    bytes.withUnsafeBytes { bytes in
      do throws(FileProblem) { try output.write(bytes, at: offset, path: path) } catch { problem = error }
    }
    if let problem { throw problem }
    return Int64(bytes.count)
  }
}
