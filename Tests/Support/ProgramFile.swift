import Foundation

/// A script that a test runs.
package enum ProgramFile {
  /// Writes `script` to `path` so that it can be run at once. A file that this process has written itself may still be
  /// open for writing in a child that another test has just forked, and is refused as busy (ETXTBSY) meanwhile; here
  /// only another program ever opens it.
  /// - Throws: `CocoaError` if it could not be written, `SpawnedProgram.Failure`.
  package static func write(_ script: String, to path: String) throws {
    let source = path + ".source"
    try script.write(toFile: source, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: source) }
    guard try SpawnedProgram.run("/usr/bin/install", ["-m", "700", source, path]) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
  }
}
