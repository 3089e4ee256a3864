import Foundation
import Glibc
import Music
import TestSupport

@testable import Server

/// A prefix of its own in the bucket "band" of S3 by moto (s3.py). One process serves all tests: it takes seconds to start.
struct S3Server: Sendable {
  let port: Int
  /// Where the process and the tests leave each other files.
  private let folder: DataFolder
  /// The end of the prefix, by which requests are told apart.
  private let token: String

  init() async throws {
    let process = try await S3Process.shared.value
    (port, folder) = (process.port, process.folder)
    token = "t\(ULID(at: WallTime(milliseconds: 0)))"
  }

  func address(bucket: String = "band") throws -> ObjectAddress {
    try ObjectAddress(parsing: "s3://\(bucket)/jam%20jar/\(token)?endpoint=http://127.0.0.1:\(port)")
  }

  /// The store for people.
  var place: String { "s3://band/jam jar/\(token)" }

  var credentials: ObjectCredentials {
    get throws { try ObjectCredentials(file: folder.path + "/keys") }
  }

  func configuration(bucket: String = "band", cacheSize: Int64? = nil) throws -> ObjectsConfiguration {
    var configuration = ObjectsConfiguration(
      address: try address(bucket: bucket), credentials: try credentials, cacheSize: cacheSize)
    configuration.firstPause = 0.05
    return configuration
  }

  /// Answers 503 below the prefix from now on, or no longer.
  func setDown(_ isDown: Bool) throws {
    if isDown { try folder.write("", "down-\(token)") } else { try folder.remove("down-\(token)") }
  }

  /// The requests below the prefix that were let in: "PUT /band/…?".
  var requests: [String] {
    let text = (try? String(contentsOfFile: folder.path + "/requests", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init).filter { $0.contains(token) }
  }
}

/// The process of moto, which ends with that of the tests.
final class S3Process: Sendable {
  static let shared = Task { try await S3Process() }

  let port: Int
  let folder: DataFolder
  private let process: SpawnedProcess
  /// Its end is that of the process.
  private let input: Int32

  private init() async throws {
    let folder = try DataFolder()
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let python =
      ProcessInfo.processInfo.environment["JAMJAR_PYTHON"] ?? root.appendingPathComponent(".venv/bin/python3").path
    let script = here.appendingPathComponent("s3.py").path
    let started = try SpawnedProcess.start(python, [script, folder.path])
    close(started.output)
    (process, input) = (started.process, started.input)
    self.folder = folder
    let path = folder.path + "/port"
    try await eventually("moto listens; script/bootstrap --test installs it") {
      FileManager.default.fileExists(atPath: path)
    }
    port = Int(try String(contentsOfFile: path, encoding: .utf8)) ?? 0
  }
}
