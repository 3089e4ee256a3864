import Foundation

/// Programs in Peers/, which run in the Python environment that script/bootstrap makes.
enum PythonPeer {
  /// Starts the program of that file name.
  static func start(_ name: String, _ arguments: [String]) throws -> ChildProcess {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try ChildProcess(try python(), [folder.appendingPathComponent("Peers/\(name)").path] + arguments)
  }

  private static func python() throws -> String {
    if let path = ProcessInfo.processInfo.environment["JAMJAR_PYTHON"] { return path }
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let path = root.appendingPathComponent(".venv/bin/python3").path
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw EndToEndFailure("\(path) is missing; script/bootstrap makes it")
    }
    return path
  }
}
