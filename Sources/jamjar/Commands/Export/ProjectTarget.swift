import Foundation
import Music
import Recording

/// The folder or file of an export for a workstation.
struct ProjectTarget {
  let parent: TakeFolder
  let name: String
  /// True for a `.zip`.
  let isArchive: Bool
  /// The path as the user gave it.
  let path: String

  /// - Parameters:
  ///   - output: the `--output` argument, a folder if there are several takes; nil for the current folder.
  ///   - usual: the default name, without an extension.
  ///   - isOneOfMany: true if several takes are exported.
  /// - Throws: `CommandFailure` if the target exists, cannot be created, or has another format's extension.
  init(
    _ output: String?, _ options: ProjectOptions, _ format: ProjectFormat, usual: String, isOneOfMany: Bool
  ) throws(CommandFailure) {
    let ending = format.isSingleFile ? format.ending : options.zip ? "zip" : nil
    let own = ending.map { "\(usual).\($0)" } ?? usual
    var path = output ?? own
    if isOneOfMany { path = output.map { $0.hasSuffix("/") ? $0 + own : "\($0)/\(own)" } ?? own }
    let file = URL(fileURLWithPath: path)
    let found = file.pathExtension.lowercased()
    if let ending, found != ending {
      throw CommandFailure(ExitCodes.usage, "\(path) does not end in .\(ending), as what is written there does")
    }
    isArchive = found == "zip" || format.isSingleFile
    guard !FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure(
        ExitCodes.cannotCreate, "\(path) exists already; choose another name with --output, or move it")
    }
    // Symbolic links in the path are allowed; the folder itself is opened by its resolved path.
    let above = file.deletingLastPathComponent().resolvingSymlinksInPath()
    do {
      parent = try TakeFolder(existing: above.lastPathComponent, in: above.deletingLastPathComponent().path)
    } catch {
      throw CommandFailure(
        ExitCodes.cannotCreate,
        "there is no folder \(above.path) to write into: make it, or name another with --output")
    }
    name = file.lastPathComponent
    self.path = path
  }
}
