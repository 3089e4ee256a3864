import Foundation

/// Programs in Peers/, which run in the Python environment that script/bootstrap makes.
enum PythonPeer {
  /// Starts the program of that file name.
  static func start(_ name: String, _ arguments: [String]) throws -> ChildProcess {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try ChildProcess(try python(), [folder.appendingPathComponent("Peers/\(name)").path] + arguments)
  }

  /// S3 by moto (s3.py of the tests of the object store), which leaves its port and keys in `folder`. It ends with its standard
  /// input, which a `sleep` keeps open.
  static func startStore(in folder: String) throws -> ChildProcess {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let script = tests.appendingPathComponent("ServerTests/Objects/s3.py").path
    return try ChildProcess(
      "/bin/sh", ["-c", "sleep infinity | exec \"$0\" \"$1\" \"$2\"", try python(), script, folder])
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
