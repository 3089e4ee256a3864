import Foundation
import Recording

/// The file that an export writes.
struct ExportTarget {
  let folder: TakeFolder
  let name: String
  let format: ExportFormat
  /// As people may type it.
  let path: String

  /// - Parameters:
  ///   - output: the file that was asked for, nil for `name` in the current folder.
  ///   - format: what was asked for, nil for what the file's ending says.
  /// - Throws: `CommandFailure` where the file exists, cannot be, or its ending is another format's.
  init(_ output: String?, format: ExportFormat?, name: String) throws(CommandFailure) {
    let path = output ?? "\(name).\((format ?? .flac24).ending)"
    let file = URL(fileURLWithPath: path)
    let ending = file.pathExtension.lowercased()
    guard let format = format ?? ExportFormat.allCases.first(where: { $0.ending == ending }) else {
      throw CommandFailure(
        ExitCodes.usage, "\(path) ends in none of .flac, .wav, .opus and .mp3; choose one of them, or say --format")
    }
    let others = ExportFormat.allCases.map(\.ending).filter { $0 != format.ending }
    guard !others.contains(ending) else {
      throw CommandFailure(
        ExitCodes.usage, "\(path) ends in .\(ending), but \(format.rawValue) files end in .\(format.ending)")
    }
    guard !FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure(
        ExitCodes.cannotCreate, "\(path) exists already; name another file with --output, or move it")
    }
    // Links on the way are the user's own business; the folder itself is opened by its true name.
    let parent = file.deletingLastPathComponent().resolvingSymlinksInPath()
    do {
      folder = try TakeFolder(existing: parent.lastPathComponent, in: parent.deletingLastPathComponent().path)
    } catch {
      throw CommandFailure(
        ExitCodes.cannotCreate,
        "there is no folder \(parent.path) to write into: make it, or name another with --output")
    }
    self.name = file.lastPathComponent
    self.format = format
    self.path = path
  }
}
