import Foundation

/// Programs in Peers/, which run in the Python environment that script/bootstrap makes.
enum PythonPeer {
  /// Starts the program of that file name.
  static func start(_ name: String, _ arguments: [String]) throws -> ChildProcess {
    try ChildProcess(try python(), [path(of: name)] + arguments)
  }

  /// How `nice` starts what plays in time, at the priority that browsers give their sound: below them, on a busy machine, it plays
  /// with holes.
  static let asMusicians = ["-n", "-8"]

  /// Starts the program of that file name as a musician.
  static func startMusician(_ name: String, _ arguments: [String]) throws -> ChildProcess {
    try ChildProcess("nice", asMusicians + [try python(), path(of: name)] + arguments)
  }

  private static func path(of name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Peers/\(name)").path
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
