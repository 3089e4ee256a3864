import Foundation
import Music
import Recording

/// The folder or file that an export for a workstation makes.
struct ProjectTarget {
  let parent: TakeFolder
  let name: String
  /// True for a `.zip`.
  let isArchive: Bool
  /// As people may type it.
  let path: String

  /// - Parameters:
  ///   - output: what was asked for, a folder for all where there are several takes; nil for the current folder.
  ///   - usual: the export's own name, without an ending.
  ///   - isOneOfMany: whether several takes are exported.
  /// - Throws: `CommandFailure` where it exists, cannot be, or its ending says something else.
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
    // Links on the way are the user's own business; the folder itself is opened by its true name.
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
