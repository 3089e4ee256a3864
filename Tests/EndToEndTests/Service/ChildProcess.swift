import Foundation
import Glibc
import Synchronization

/// A program that a test starts, whose lines it can wait for, and which with all its own children never outlives the test.
///
/// By posix_spawn and two threads, because Foundation's Process lets children inherit the blocked signals of Swift's
/// threads (they would never see SIGTERM), and its handler for readable pipes crashes now and then at the end.
final class ChildProcess: Sendable {
  let identifier: pid_t
  private let output = ChildOutput()

  /// Starts the program of that name or path and reads everything that it prints.
  init(_ program: String, _ arguments: [String]) throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw EndToEndFailure("no pipe") }
    let (reading, writing) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(writing) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, writing, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, writing, STDERR_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var identifier: pid_t = 0
    let problem = posix_spawnp(&identifier, program, &actions, &attributes, words, environ)
    guard problem == 0 else {
      close(reading)
      throw EndToEndFailure("\(program) cannot be started: \(String(cString: strerror(problem)))")
    }
    self.identifier = identifier
    let (output, child) = (output, identifier)
    Thread.detachNewThread { output.read(reading) }
    Thread.detachNewThread { output.wait(for: child) }
  }

  deinit {
    // The whole group: a browser has a dozen processes.
    kill(-identifier, SIGKILL)
  }

  /// Sends a signal to the program.
  func send(_ signal: Int32) { kill(identifier, signal) }

  var isRunning: Bool { output.status == nil }

  /// What it printed so far, for the message of a failure.
  var text: String { output.text }

  /// All that it printed, once it prints no more.
  func wholeText() async -> String {
    _ = await line { _ in false }
    return output.text
  }

  /// The first line that fits, printed already or later; nil when the program ends without it.
  func line(where matches: @escaping @Sendable (String) -> Bool) async -> String? {
    await withTaskCancellationHandler {
      await output.line(where: matches)
    } onCancel: {
      giveUp()
    }
  }

  /// Waits for the program's end and tells its exit status, 128 and the signal where one ended it.
  func exitStatus() async -> Int32 {
    await withTaskCancellationHandler {
      await output.exit()
    } onCancel: {
      giveUp()
    }
  }

  /// A test whose time is over ends what it waits for; the whole run would wait with it otherwise.
  private func giveUp() { if isRunning { kill(-identifier, SIGKILL) } }

  /// Asks the program to end, and waits until it has.
  @discardableResult
  func terminate() async -> Int32 {
    if isRunning { kill(identifier, SIGTERM) }
    return await exitStatus()
  }
}
