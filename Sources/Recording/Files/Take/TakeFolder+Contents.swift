import CLinux
import Glibc

extension TakeFolder {
  /// The sorted names of everything in the folder.
  package func names() throws(FileProblem) -> [String] {
    try TakeFolder.names(in: descriptor, path: path)
  }

  /// True if the folder contains something of that name.
  package func has(_ name: String) -> Bool {
    FileComponent.isSafe(name) && faccessat(descriptor.raw, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0
  }

  /// What the file system knows of the file `name`; nil if it cannot be opened.
  package func status(of name: String) -> FileStatus? {
    (try? open(name)).flatMap { FileStatus(of: $0.raw) }
  }

  /// The length of the file `name` in bytes.
  package func size(of name: String) throws(FileProblem) -> Int64 {
    try open(name).length(path: label(name))
  }

  /// Reads the whole file `name`, which may have at most `limit` bytes.
  package func read(_ name: String, limit: Int = 64 << 20) throws(FileProblem) -> [UInt8] {
    let file = try open(name)
    let size = try file.length(path: label(name))
    guard size <= Int64(limit) else {
      throw FileProblem(
        path: label(name), operation: .read, code: EFBIG, detail: "it has \(size) bytes; the maximum is \(limit)")
    }
    return try file.read(at: 0, count: Int(size), path: label(name))
  }

  /// Writes the file `name` atomically, even in case of a power failure.
  /// - Parameter isPrivate: true for a file that the group may not read either.
  package func write(_ bytes: [UInt8], as name: String, isPrivate: Bool = false) throws(FileProblem) {
    let part = TakeFolder.partName(name)
    try remove(part)
    let file = try create(part, mode: isPrivate ? Descriptor.privateMode : Descriptor.fileMode)
    var problem: FileProblem?
    bytes.withUnsafeBytes { bytes in
      do throws(FileProblem) { try file.write(bytes, at: 0, path: label(part)) } catch { problem = error }
    }
    if let problem { throw problem }
    try file.synchronize(path: label(part))
    try publish(name)
    try synchronize()
  }

  /// Renames the finished `name.part` to `name`, replacing an existing file; `synchronize()` makes that durable.
  package func publish(_ name: String) throws(FileProblem) {
    guard FileComponent.isSafe(name) else {
      throw FileProblem(path: label(name), operation: .rename, code: EINVAL)
    }
    guard renameat(descriptor.raw, TakeFolder.partName(name), descriptor.raw, name) == 0 else {
      throw FileProblem(path: label(name), operation: .rename, code: errno)
    }
  }

  /// Moves the file `name` here from `other`, replacing an existing file; `synchronize()` makes that durable.
  func adopt(_ name: String, from other: TakeFolder) throws(FileProblem) {
    guard FileComponent.isSafe(name) else {
      throw FileProblem(path: label(name), operation: .rename, code: EINVAL)
    }
    guard renameat(other.descriptor.raw, name, descriptor.raw, name) == 0 else {
      throw FileProblem(path: label(name), operation: .rename, code: errno)
    }
  }

  /// Makes renames and new names survive a power failure.
  package func synchronize() throws(FileProblem) {
    try descriptor.synchronize(path: path)
  }

  /// Removes the file `name`, if it exists.
  package func remove(_ name: String) throws(FileProblem) {
    guard FileComponent.isSafe(name) else {
      throw FileProblem(path: label(name), operation: .remove, code: EINVAL)
    }
    guard unlinkat(descriptor.raw, name, 0) == 0 || errno == ENOENT else {
      throw FileProblem(path: label(name), operation: .remove, code: errno)
    }
  }

  /// Removes every unfinished file. For folders with a single writer.
  package func removeParts() throws(FileProblem) {
    for name in try names() where name.hasSuffix(TakeFolder.partSuffix) { try remove(name) }
  }

  /// Opens the file `name` for reading: the only place where files of takes are opened. Nothing but a regular file is
  /// opened, so neither a planted link nor a FIFO or device leads anywhere (`FileProblem.isNotAFile`).
  package func open(_ name: String, flags: Int32 = O_RDONLY) throws(FileProblem) -> Descriptor {
    let file = try Descriptor.open(name, in: descriptor, flags: flags, path: label(name))
    guard let status = FileStatus(of: file.raw) else {
      throw FileProblem(path: label(name), operation: .examine, code: errno)
    }
    guard status.isRegular else { throw FileProblem.notAFile(label(name)) }
    return file
  }

  /// Creates the file `name`, which must not exist.
  func create(_ name: String, mode: mode_t = Descriptor.fileMode) throws(FileProblem) -> Descriptor {
    try Descriptor.open(
      name, in: descriptor, flags: O_RDWR | O_CREAT | O_EXCL, path: label(name), operation: .create, mode: mode)
  }

  /// Keeps the group from reading the file `name`; without effect on a file of another user.
  func makePrivate(_ name: String) {
    if let file = try? open(name) { _ = fchmod(file.raw, Descriptor.privateMode) }
  }

  /// The sorted names in a folder, without `.` and `..`.
  static func names(in folder: Descriptor, path: String) throws(FileProblem) -> [String] {
    // A new descriptor is needed: closedir closes it, and duplicates share one position.
    let own = openat(folder.raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0 else { throw FileProblem(path: path, operation: .list, code: errno) }
    guard let stream = fdopendir(own) else {
      let code = errno
      close(own)
      throw FileProblem(path: path, operation: .list, code: code)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: FileComponent.maximumBytes + 1) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw FileProblem(path: path, operation: .list, code: errno) }
    return names.sorted()
  }
}
