import CLinux
import Glibc
import Synchronization

/// A take's journal on disk.
package final class JournalFile: JournalStorage {
  /// The file's path relative to the data folder, for messages.
  package let path: String
  private struct State {
    var descriptor: Descriptor
    /// In bytes.
    var length: Int64
  }

  /// The lock is held for a whole append, so that a second writer, by mistake, only has to wait.
  private let state: Mutex<State>
  private var descriptor: Descriptor { state.withLock { $0.descriptor } }
  /// Bytes copied at a time.
  private static let chunk = 1 << 20

  private init(path: String, descriptor: Descriptor, length: Int64) {
    self.path = path
    state = Mutex(State(descriptor: descriptor, length: length))
  }

  /// Creates the journal of a new take; it must not exist yet.
  package convenience init(creatingIn folder: TakeFolder) throws(FileProblem) {
    let descriptor = try folder.create(TakeFolder.journalName)
    try folder.synchronize()
    self.init(path: folder.label(TakeFolder.journalName), descriptor: descriptor, length: 0)
  }

  /// Opens an existing journal for appending, recovery or reading.
  package convenience init(openingIn folder: TakeFolder, forReadingOnly: Bool = false) throws(FileProblem) {
    let descriptor = try folder.open(TakeFolder.journalName, flags: forReadingOnly ? O_RDONLY : O_RDWR)
    let path = folder.label(TakeFolder.journalName)
    self.init(path: path, descriptor: descriptor, length: try descriptor.length(path: path))
  }

  /// Opens the journal at any `path` of the file system for reading only: one that was copied or sent.
  package convenience init(readingAt path: String) throws(FileProblem) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw FileProblem(path: path, operation: .open, code: EINVAL, detail: "this is not a path")
    }
    // Non-blocking, so that opening a pipe does not wait; the first read then refuses it.
    let descriptor = try Descriptor.retrying(path, .open) {
      Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    }.map(Descriptor.init(owning:))
    self.init(path: path, descriptor: descriptor, length: try descriptor.length(path: path))
  }

  package var size: Int64 { state.withLock { $0.length } }

  package var isLinked: Bool {
    get throws(FileProblem) {
      let descriptor = descriptor
      return try Descriptor.retrying(path, .examine) { jamjar_is_linked(descriptor.raw) }.value > 0
    }
  }

  /// Copies the deleted journal into `folder` and continues there; appends wait meanwhile.
  package func move(to folder: TakeFolder) throws(FileProblem) {
    try state.withLock { state throws(FileProblem) in
      let part = TakeFolder.partName(TakeFolder.journalName)
      try folder.remove(part)
      let copy = try folder.create(part)
      var done: Int64 = 0
      while done < state.length {
        let count = Int(min(Int64(JournalFile.chunk), state.length - done))
        let bytes = try state.descriptor.read(at: done, count: count, path: path)
        guard !bytes.isEmpty else { throw FileProblem(path: path, operation: .read, code: EIO) }
        try JournalFile.write(bytes, to: copy, at: done, path: path)
        done += Int64(bytes.count)
      }
      try copy.synchronize(path: path)
      try folder.publish(TakeFolder.journalName)
      try folder.synchronize()
      state.descriptor = copy
    }
  }

  private static func write(
    _ bytes: [UInt8], to descriptor: Descriptor, at offset: Int64, path: String
  ) throws(FileProblem) {
    var problem: FileProblem?
    bytes.withUnsafeBytes { bytes in
      do throws(FileProblem) {
        try descriptor.write(bytes, at: offset, path: path)
      } catch {
        problem = error
      }
    }
    if let problem { throw problem }
  }

  package func append(_ bytes: [UInt8]) throws(FileProblem) {
    try state.withLock { state throws(FileProblem) in
      do throws(FileProblem) {
        try JournalFile.write(bytes, to: state.descriptor, at: state.length, path: path)
      } catch {
        // A partial frame must not remain before the next append; if even this fails, its checksum reveals it.
        _ = ftruncate(state.descriptor.raw, off_t(state.length))
        throw error
      }
      state.length += Int64(bytes.count)
    }
  }

  package func sync() throws(FileProblem) {
    let descriptor = descriptor
    _ = try Descriptor.retrying(path, .sync) { fdatasync(descriptor.raw) }
  }

  package func truncate(to size: Int64) throws(FileProblem) {
    try state.withLock { state throws(FileProblem) in
      // A truncation must not lengthen the journal, which would add a run of zeros.
      let size = min(max(0, size), state.length)
      let descriptor = state.descriptor
      _ = try Descriptor.retrying(path, .cut) { ftruncate(descriptor.raw, off_t(size)) }
      state.length = size
    }
  }

  package func read(at offset: Int64, count: Int) throws(FileProblem) -> [UInt8] {
    try descriptor.read(at: max(0, offset), count: count, path: path)
  }

  package func reserve(_ bytes: Int64) throws(FileProblem) {
    let (end, descriptor) = (size, descriptor)
    // Allocated beyond the end of the file: readers never see the reserve, and `truncate` releases it.
    _ = try Descriptor.retrying(path, .reserve) {
      jamjar_reserve(descriptor.raw, off_t(end), off_t(max(1, bytes)))
    }
  }

  /// Releases the disk space that `reserve` allocated and nothing used.
  package func releaseReserve() throws(FileProblem) {
    try truncate(to: size)
  }
}

/// The storage of a journal: a file, or a simulated disk in tests.
///
/// Only one thread writes at a time.
package protocol JournalStorage: AnyObject, Sendable {
  /// Length of the journal in bytes.
  var size: Int64 { get }
  /// Appends all of `bytes` or nothing: after an error, the journal has its previous length.
  func append(_ bytes: [UInt8]) throws(FileProblem)
  /// Returns once everything appended is on the disk (fdatasync).
  func sync() throws(FileProblem)
  /// False if the file was deleted; its contents remain while it is open.
  var isLinked: Bool { get throws(FileProblem) }
  /// Truncates the journal to `size` bytes.
  func truncate(to size: Int64) throws(FileProblem)
  /// Returns up to `count` bytes from `offset`; fewer only at the end.
  func read(at offset: Int64, count: Int) throws(FileProblem) -> [UInt8]
  /// Allocates disk space for `bytes` more, so that other writers cannot end the take by filling the disk.
  func reserve(_ bytes: Int64) throws(FileProblem)
  /// Releases the disk space that `reserve` allocated and nothing used.
  func releaseReserve() throws(FileProblem)
}
