import CLinux
import Glibc

/// A program of somebody else's that works for the service: ffmpeg.
///
/// Nothing can be put between posix_spawn and a foreign program, so the service starts itself (`jamjar confined`), which
/// gives up what the program does not need and becomes it.
package enum ForeignProgram {
  /// What it works on: its pipes only, or connections of its own besides.
  package enum Needs: String, Sendable {
    case pipes, connections
  }

  /// The command that becomes it.
  package static let command = "confined"
  /// Amount by which its priority is below that of the media loops.
  private static let niceness: Int32 = 5
  /// Bytes of memory of its own. A decoder and an encoder need some 50 MiB.
  private static let memory: UInt64 = 1 << 30
  private static let descriptors: UInt64 = 64
  /// What the C library reads at the start of a program.
  private static let libraries = Confinement.system + ["/etc/ld.so.cache"]
  /// The C library's loader, which the kernel starts with every program.
  private static let loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]

  /// The words that have the service's own executable become `program`.
  /// - Throws: `ChildSpawn.Failure` with `ENOENT` if it is not installed.
  package static func words(
    _ program: String, _ arguments: [String], needs: Needs
  ) throws(ChildSpawn.Failure) -> [String] {
    let path = try ChildSpawn.path(of: program)
    return [command, needs.rawValue, path] + arguments
  }

  /// Becomes the program at `path`, which may open its libraries and nothing else, and start no other.
  /// - Returns: the error number (errno) of the system if it cannot.
  package static func become(_ path: String, _ arguments: [String], needs: Needs) -> Int32 {
    Confinement.begin(as: path.split(separator: "/").last.map(String.init) ?? path, niceness: niceness)
    Confinement.limit(memory: memory, descriptors: descriptors)
    let rules = jamjar_landlock_begin(needs == .connections ? 1 : 0)
    if rules >= 0 {
      for library in libraries { jamjar_landlock_permit_path(rules, library, jamjar_reach_read) }
      for program in [path] + loaders { jamjar_landlock_permit_path(rules, program, jamjar_reach_run) }
      for device in Confinement.devices { jamjar_landlock_permit_path(rules, device, jamjar_reach_write) }
      _ = jamjar_landlock_end(rules)
      close(rules)
    }
    _ = jamjar_limit_system_calls(
      jamjar_every_thread, needs == .connections ? jamjar_rest_connections : jamjar_rest_program)
    // Signals that are ignored stay so in the next program, which would not notice a closed pipe.
    signal(SIGPIPE, SIG_DFL)
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    execv(path, &words)
    return errno
  }
}
