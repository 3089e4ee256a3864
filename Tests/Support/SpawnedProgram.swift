import CLinux
import Glibc

/// A program that a test runs in a process of its own.
///
/// Not by Foundation's Process: where more than some thirteen hundred descriptors are open, as in a process with a thousand
/// tests, it reads past the end of their list, and now and then crashes by it; and its children inherit blocked signals.
package struct SpawnedProgram: Sendable {
  package struct Failure: Error {
    package var program: String
    /// The system's error number (errno).
    package var code: Int32
  }

  package let identifier: pid_t

  /// Starts the program at `path` with no descriptors but these; without `input` it has none, the others are ours.
  /// - Throws: `Failure`.
  package init(
    _ path: String, _ arguments: [String], environment: [String: String]? = nil, input: Int32? = nil,
    output: Int32? = nil, error: Int32? = nil
  ) throws(Failure) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
    if let error { posix_spawn_file_actions_adddup2(&actions, error, STDERR_FILENO) }
    jamjar_close_from(&actions, STDERR_FILENO + 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    var settings: [UnsafeMutablePointer<CChar>?] =
      (environment ?? [:]).map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for word in words + settings { free(word) } }
    var identifier: pid_t = 0
    let problem =
      environment == nil
      ? posix_spawn(&identifier, path, &actions, &attributes, &words, environ)
      : posix_spawn(&identifier, path, &actions, &attributes, &words, &settings)
    guard problem == 0 else { throw Failure(program: path, code: problem) }
    self.identifier = identifier
  }

  /// Waits for its end, once; blocks. Its exit code, or 128 and the signal that ended it, as shells tell it.
  @discardableResult
  package func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  /// Ends it and waits for it.
  package func end(_ signal: Int32 = SIGKILL) {
    kill(identifier, signal)
    wait()
  }

  /// Runs a program to its end; blocks.
  /// - Returns: as `wait()`.
  /// - Throws: `Failure` if it could not be started.
  @discardableResult
  package static func run(_ path: String, _ arguments: [String]) throws(Failure) -> Int32 {
    try SpawnedProgram(path, arguments).wait()
  }
}
