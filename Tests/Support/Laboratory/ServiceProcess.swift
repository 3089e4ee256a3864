import CLinux
import Foundation
import Glibc

/// A `jamjar serve` of the laboratory's own, with a data folder that goes with it.
package final class ServiceProcess: Sendable {
  package let service: TestedService
  /// Holds the data folder and the log.
  package let folder: String
  private let identifier: pid_t
  private let keepsFolder: Bool

  private static let patience = 60.0

  /// Starts `program` on a free port and waits until it is ready.
  /// - Parameters:
  ///   - folder: where the data folder is made.
  ///   - keepsFolder: leaves the data folder for people to look at.
  package init(_ program: String, in folder: String, keepsFolder: Bool = false) throws {
    self.keepsFolder = keepsFolder
    self.folder = folder + "/jamjar-laboratory-\(getpid())"
    try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
    let port = try ServiceProcess.freePort()
    service = TestedService(port: port, recordings: self.folder + "/Recordings")
    identifier = try ServiceProcess.spawn(
      [program, "serve", "--host", "127.0.0.1", "--port", "\(port)", "--data", service.recordings],
      log: self.folder + "/log")
    let deadline = Date().addingTimeInterval(ServiceProcess.patience)
    while !service.isReady {
      var status: Int32 = 0
      guard waitpid(identifier, &status, WNOHANG) == 0, Date() < deadline else {
        throw LaboratoryProblem("\(program) does not become ready; see \(self.folder)/log")
      }
      usleep(50_000)
    }
  }

  /// Stops it for `seconds`, as a machine without time does.
  package func standStill(seconds: Double) {
    kill(identifier, SIGSTOP)
    usleep(UInt32(seconds * 1e6))
    kill(identifier, SIGCONT)
  }

  /// Ends it as an operator does.
  package func end() {
    kill(identifier, SIGTERM)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    if !keepsFolder { try? FileManager.default.removeItem(atPath: folder) }
  }

  private static func spawn(_ words: [String], log: String) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    // Swift's threads block signals, and children inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var identifier: pid_t = 0
    let problem = posix_spawn(&identifier, words[0], &actions, &attributes, arguments, environ)
    guard problem == 0 else {
      throw LaboratoryProblem("\(words[0]) cannot be started: \(String(cString: strerror(problem)))")
    }
    return identifier
  }

  private static func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
      }
    }
    guard isBound else { throw LaboratoryProblem("no TCP port is free") }
    return UInt16(bigEndian: address.sin_port)
  }
}
