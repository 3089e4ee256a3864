import CLinux
import Foundation
import Glibc
import Signaling
import Synchronization
import TestSupport

/// The built `jamjar serve` as a child process, with a data folder that goes with it.
final class Service: Sendable {
  let process: ChildProcess
  /// "http://127.0.0.1:…"
  let address: String
  let port: UInt16
  /// The data folder.
  let recordings: String
  private let folder: TemporaryFolder

  /// Starts the service on a free port, or on the one of a service before it, and waits until it is ready.
  ///
  /// - Parameter descriptors: how many the process may have.
  init(
    _ options: [String] = [], folder: TemporaryFolder? = nil, environment: [String: String] = [:], port: UInt16? = nil,
    descriptors: Int? = nil
  ) async throws {
    let folder = try folder ?? TemporaryFolder()
    let recordings = folder.path + "/Recordings"
    let port = try port ?? Service.freePort()
    self.port = port
    // Soft and hard limit; then the words that follow are the command.
    let limit = descriptors.map { ["sh", "-c", "ulimit -n \($0); exec \"$@\"", "sh"] } ?? []
    process = try ChildProcess(
      "env",
      environment.map { "\($0.key)=\($0.value)" } + limit
        + [try Service.executable(), "serve", "--host", "127.0.0.1", "--port", "\(port)", "--data", recordings]
        + options)
    address = "http://127.0.0.1:\(port)"
    self.folder = folder
    self.recordings = recordings
    Evidence.services?.add(folder, process)
    let (process, address) = (process, address)
    try await eventually("the service is ready", or: { process.text }) {
      guard process.isRunning else { throw EndToEndFailure("jamjar serve ended:\n\(process.text)") }
      return (try? await HTTP.send("GET", "\(address)/readyz").status) == 200
    }
  }

  /// Ends the service as an operator does; what it printed goes to the test's output where the test failed.
  @discardableResult
  func close() async -> Int32 {
    await process.terminate()
  }

  /// A path in the temporary folder for a file of the test.
  func path(_ name: String) -> String { folder.path + "/" + name }

  /// The product beside the test bundle, .build/debug/jamjar, or another build that the environment names.
  static func executable() throws -> String {
    if let path = ProcessInfo.processInfo.environment["JAMJAR_EXECUTABLE"] { return path }
    let bundle = URL(fileURLWithPath: CommandLine.arguments.first ?? "").resolvingSymlinksInPath()
    var folder = bundle.deletingLastPathComponent()
    for _ in 0..<4 {
      let candidate = folder.appendingPathComponent("jamjar").path
      if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
      folder = folder.deletingLastPathComponent()
    }
    throw EndToEndFailure("no executable jamjar beside \(bundle.path); build it first")
  }

  /// A port that nobody listens on at this moment: below those that the kernel gives out, so that no other test's socket
  /// takes it before the service does, and none that browsers refuse (10080 is the highest). Each is given once: a test
  /// asks for several before anybody listens.
  static func freePort() throws -> UInt16 {
    for _ in 0..<100 {
      let port = UInt16.random(in: 12_000..<32_000)
      if isFree(port), given.withLock({ $0.insert(port).inserted }) { return port }
    }
    throw EndToEndFailure("no TCP port is free")
  }

  private static let given = Mutex<Set<UInt16>>([])

  private static func isFree(_ port: UInt16) -> Bool {
    // Otherwise a program that another test starts at this moment inherits it, and keeps the port.
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { Glibc.close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
