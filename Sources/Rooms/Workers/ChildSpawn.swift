import CLinux
import Glibc

/// Starts child processes that inherit only standard input, output and error.
package enum ChildSpawn {
  /// A program that could not be started.
  package struct Failure: Error, Hashable, CustomStringConvertible {
    package var program: String
    /// The system's error number (errno); `ENOENT` if it is not installed.
    package var code: Int32
    package var description: String { "\(program) cannot be started: \(String(cString: strerror(code)))" }
  }

  /// Prefix of our settings in the environment. They include keys, which no child needs.
  private static let ownSettings = "JAMJAR_"

  /// Starts `program` with `arguments`, with the given descriptors as its standard `input` and `output`.
  ///
  /// - Parameter name: its name in process lists; nil for the program's.
  ///
  /// It has its own process group, so that Ctrl-C in our terminal does not end it, and inherits no other descriptors.
  package static func spawn(
    _ program: String, as name: String? = nil, _ arguments: [String], input: Int32, output: Int32
  ) throws(Failure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    jamjar_close_from(&actions, STDERR_FILENO + 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Swift's threads block signals that a child must receive.
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var words = list([name ?? program] + arguments)
    var settings = list(inherited)
    defer { for word in words + settings { free(word) } }
    var identifier: pid_t = 0
    let problem = posix_spawnp(&identifier, program, &actions, &attributes, &words, &settings)
    guard problem == 0 else { throw Failure(program: program, code: problem) }
    return identifier
  }

  /// Where the system's search finds a program of that name.
  /// - Throws: `Failure` with `ENOENT` if it is not installed.
  package static func path(of program: String) throws(Failure) -> String {
    let folders = inherited.first { $0.hasPrefix("PATH=") }?.dropFirst("PATH=".count).split(separator: ":") ?? []
    let paths = folders.map { "\($0)/\(program)" }
    guard let path = paths.first(where: { access($0, X_OK) == 0 }) else {
      throw Failure(program: program, code: ENOENT)
    }
    return path
  }

  /// The settings that a child gets.
  private static var inherited: [String] {
    var settings: [String] = []
    var next = environ
    while let setting = next.pointee {
      let text = String(cString: setting)
      if !text.hasPrefix(ownSettings) { settings.append(text) }
      next += 1
    }
    return settings
  }

  /// C copies of `texts`, with a terminating nil.
  private static func list(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
    texts.map { strdup($0) } + [nil]
  }
}
