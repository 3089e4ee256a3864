import Glibc
import NIOCore
import NIOPosix
import Rooms
import Synchronization

/// A running child process. It can be killed only until it was waited for: afterwards its number may be reused.
package final class SpawnedProcess: Sendable {
  /// Children started and not yet waited for.
  private static let running = Mutex<Set<pid_t>>([])

  private let identifier: pid_t

  private init(_ identifier: pid_t) {
    self.identifier = identifier
  }

  /// Kills every child when this process ends.
  package static func killAll() {
    running.withLock { for identifier in $0 { Glibc.kill(identifier, SIGKILL) } }
  }

  /// Starts the program of that name; write its standard input to `input` and read its standard output from `output`.
  ///
  /// - Parameter name: its name in process lists; nil for the program's.
  /// - Throws: `IOError` with `ENOENT` if it is not installed, or with the error of pipes and spawning.
  static func start(
    _ program: String, as name: String? = nil, _ arguments: [String]
  ) throws -> (process: SpawnedProcess, input: Int32, output: Int32) {
    // One at a time, so that no child starts while another's pipes are not yet marked close-on-exec: a copy of an end
    // would keep a child waiting for the end of its input.
    try running.withLock { running in
      let (input, output) = try pipes()
      defer { for end in [input.reading, output.writing] { close(end) } }
      do throws(ChildSpawn.Failure) {
        let identifier = try ChildSpawn.spawn(
          program, as: name, arguments, input: input.reading, output: output.writing)
        running.insert(identifier)
        return (SpawnedProcess(identifier), input.writing, output.reading)
      } catch {
        for end in [input.writing, output.reading] { close(end) }
        throw IOError(errnoCode: error.code, reason: "\(program) cannot be started")
      }
    }
  }

  /// Kills the process at once, even a stopped one; `end` waits for it.
  func kill() {
    SpawnedProcess.running.withLock { running in
      if running.contains(identifier) { Glibc.kill(identifier, SIGKILL) }
    }
  }

  /// Kills the process and waits for it, so that no zombie remains.
  func end() async {
    kill()
    let identifier = identifier
    // Not `runIfActive`, which does nothing in a cancelled task.
    await withCheckedContinuation { continuation in
      NIOThreadPool.singleton.submit { _ in
        var information = siginfo_t()
        // First without reaping, so that the number stays valid and no other process is killed.
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        _ = SpawnedProcess.running.withLock { $0.remove(identifier) }
        while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
        continuation.resume()
      }
    }
  }

  /// Two pipes: to a child and from it.
  static func pipes() throws -> (input: (reading: Int32, writing: Int32), output: (reading: Int32, writing: Int32)) {
    let input = try pipe()
    do {
      return (input, try pipe())
    } catch {
      for end in [input.reading, input.writing] { close(end) }
      throw error
    }
  }

  private static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { throw IOError(errnoCode: errno, reason: "pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
