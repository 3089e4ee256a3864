import Foundation
import Recording

/// The file that an export writes.
struct ExportTarget {
  let folder: TakeFolder
  let name: String
  /// The path as the user gave it.
  let path: String

  /// - Throws: `CommandFailure` if the file exists or cannot be created.
  init(_ path: String) throws(CommandFailure) {
    let file = URL(fileURLWithPath: path)
    guard !FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure(
        ExitCodes.cannotCreate, "\(path) exists already; name another file with --output, or move it")
    }
    // Symbolic links in the path are allowed; the folder itself is opened by its resolved path.
    let parent = file.deletingLastPathComponent().resolvingSymlinksInPath()
    do {
      folder = try TakeFolder(existing: parent.lastPathComponent, in: parent.deletingLastPathComponent().path)
    } catch {
      throw CommandFailure(
        ExitCodes.cannotCreate,
        "there is no folder \(parent.path) to write into: make it, or name another with --output")
    }
    name = file.lastPathComponent
    self.path = path
  }
}
