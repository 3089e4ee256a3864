import CLinux
import Glibc
import Music

/// The folder of one take. Every path of a recording is built here, and every file in it is opened through this
/// class.
///
/// It keeps the folder open, so renaming it or replacing it with a link has no effect.
package final class TakeFolder: Sendable {
  /// The folder's path relative to the data folder, to be stored in `Take.folder`.
  package let path: String
  let descriptor: Descriptor
  /// The open folder's descriptor, for rules about it.
  package var handle: Int32 { descriptor.raw }

  /// The journal's file name.
  package static let journalName = "take.journal"
  /// The manifest's file name.
  package static let manifestName = "manifest.json"
  /// The suffix of unfinished files.
  package static let partSuffix = ".part"
  /// Number of names that `create` tries before it gives up.
  private static let maximumAttempts = 100

  init(path: String, descriptor: Descriptor) {
    self.path = path
    self.descriptor = descriptor
  }

  /// Opens the folder at `path` (relative to `root`) without following links.
  package convenience init(existing path: String, in root: String) throws(FileProblem) {
    self.init(path: path, descriptor: try TakeFolder.descend(path, from: try Descriptor.root(root)))
  }

  /// Opens the data folder itself.
  package convenience init(dataFolder root: String) throws(FileProblem) {
    self.init(path: "", descriptor: try Descriptor.root(root))
  }

  /// Creates the folder named by `take.folder` with its parents, and syncs them all.
  ///
  /// If that folder exists and is not empty, a number is appended ("…-2"): compare `path` with `take.folder` and keep
  /// `path`.
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
      // Anything else of that name (a file, a planted link) is skipped like a non-empty folder.
      guard let own = try? Descriptor.open(name, in: parent, flags: O_RDONLY | O_DIRECTORY, path: path) else {
        continue
      }
      let folder = TakeFolder(path: path, descriptor: own)
      if isNew { return folder }
      if try folder.names().isEmpty { return folder }
    }
    throw FileProblem(path: take.folder, operation: .create, code: EEXIST)
  }

  /// The folder for the deleted journal of `take`: the one that remains, or a new one in its place.
  package static func restore(for take: Take, in root: String) throws(FileProblem) -> TakeFolder {
    if let left = try? TakeFolder(existing: take.folder, in: root), !left.has(journalName) { return left }
    let folder = try create(for: take, in: root)
    guard folder.path == take.folder else {
      throw FileProblem(path: take.folder, operation: .create, code: EEXIST)
    }
    return folder
  }

  /// Creates the folder `name` if it does not exist; true if it is new.
  static func make(_ name: String, in parent: Descriptor, path: String) throws(FileProblem) -> Bool {
    guard mkdirat(parent.raw, name, Descriptor.folderMode) == 0 else {
      guard errno == EEXIST else { throw FileProblem(path: path, operation: .create, code: errno) }
      return false
    }
    try parent.synchronize(path: path)
    return true
  }

  /// Opens one folder after the other, so that no component of `path` can be a link.
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

  /// `path/name`, for error messages.
  package func label(_ name: String) -> String { "\(path)/\(name)" }
}

extension TakeFolder {
  /// Characters of the session's identifier in its folder's name: the last six, which are random.
  private static let sessionLength = 6

  /// The path of a take's folder: `<room>/<date>-<session>/<number>-<song or "untitled">`, all portable names.
  ///
  /// The date is that of the session's start (encoded in its identifier), so a session past midnight stays together.
  package static func relativePath(for take: Take) -> String {
    let room = FileName.distinct(take.room.description, fallback: "room")
    let began = WallTime(milliseconds: Int64(clamping: take.session.ulid.high >> 16))
    let session = "\(began.date)-\(take.session.description.suffix(sessionLength))"
    let song = take.song.map { FileName.distinct($0.title, fallback: "song") } ?? "untitled"
    return "\(room)/\(session)/\(FileName.counted(take.number))-\(song)"
  }

  /// The name of a track's file: `NN-<participant>-<part>.<ending>`; the number makes names unique.
  package static func trackName(number: Int, participant: DisplayName, part: Part?, ending: String) -> String {
    let name = FileName.portable(participant.description, fallback: "musician")
    let part = part.map { "-" + FileName.portable($0, fallback: "part") } ?? ""
    return "\(FileName.counted(number))-\(name)\(part).\(ending)"
  }

  /// The name of the mix's file: `mix.<ending>`.
  package static func mixName(ending: String) -> String { "mix.\(ending)" }

  /// The name of the peaks file of the sound file `name`: `01-ada-guitar.peaks.dat`.
  package static func peaksName(for name: String) -> String {
    "\(name.split(separator: ".").first ?? "track").peaks.dat"
  }

  /// The temporary name of the file `name` while it is incomplete.
  package static func partName(_ name: String) -> String { name + partSuffix }
}

/// Append-only files of lines.
extension TakeFolder {
  /// Appends whole lines durably to the file `name`, creating it if necessary.
  ///
  /// On failure, nothing is added.
  /// - Returns: the new length of the file in bytes.
  package func append(lines: [UInt8], to name: String) throws(FileProblem) -> Int64 {
    let path = label(name)
    let isNew = !has(name)
    let file = try Descriptor.open(name, in: descriptor, flags: O_RDWR | O_CREAT, path: path, operation: .create)
    let length = try file.length(path: path)
    var problem: FileProblem?
    lines.withUnsafeBytes { bytes in
      do throws(FileProblem) { try file.write(bytes, at: length, path: path) } catch { problem = error }
    }
    if let problem {
      // A partial line must not remain before the next one; if even this fails, `lines(of:)` drops it.
      _ = ftruncate(file.raw, off_t(length))
      throw problem
    }
    _ = try Descriptor.retrying(path, .sync) { fdatasync(file.raw) }
    if isNew { try synchronize() }
    return length + Int64(lines.count)
  }

  /// Returns all whole lines of the file `name`, nil if it does not exist; a partial last line, left by a crash, is
  /// cut off.
  package func lines(of name: String, limit: Int) throws(FileProblem) -> [UInt8]? {
    let bytes: [UInt8]
    do throws(FileProblem) {
      bytes = try read(name, limit: limit)
    } catch  where error.isMissing {
      return nil
    }
    let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    guard end < bytes.count else { return bytes }
    let file = try open(name, flags: O_RDWR)
    _ = try Descriptor.retrying(label(name), .cut) { ftruncate(file.raw, off_t(end)) }
    return Array(bytes[..<end])
  }
}
