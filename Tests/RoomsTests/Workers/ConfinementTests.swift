import CLinux
import Glibc
import Recording
import Synchronization
import Testing

/// What a confined thread can and cannot do. The rules end with the thread, so that the tests beside it go on.
@Suite struct ConfinementTests {
  /// Runs `body` on a thread after `confine`, and returns its answers.
  private func onThread(
    _ confine: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () -> [String: Int32]
  ) -> [String: Int32] {
    let answers = Mutex<[String: Int32]>([:])
    WorkerThread("confined") {
      _ = jamjar_renounce_privileges()
      confine()
      let found = body()
      answers.withLock { $0 = found }
    }.join()
    return answers.withLock { $0 }
  }

  /// The error number of a call; 0 if it succeeds.
  private static func code(_ call: () -> Int32) -> Int32 { call() == 0 ? 0 : errno }

  /// The same for a call that gives a descriptor.
  private static func opened(_ call: () -> Int32) -> Int32 {
    let descriptor = call()
    guard descriptor >= 0 else { return errno }
    close(descriptor)
    return 0
  }

  @Test func noSocketProgramOrSignalIsToBeHad() throws {
    let answers = onThread {
      // Without seccomp, the answers say so.
      _ = jamjar_limit_system_calls(jamjar_this_thread, jamjar_rest_nothing)
    } _: {
      var child: pid_t = 0
      var words: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
      defer { free(words[0]) }
      return [
        "socket": Self.opened { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) },
        "local socket": Self.opened { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) },
        "program": posix_spawn(&child, "/bin/true", nil, nil, &words, environ),
        "signal": Self.code { kill(getppid(), 0) },
        "file": Self.opened { open("/dev/null", O_RDONLY) },
      ]
    }
    #expect(
      answers == ["socket": EPERM, "local socket": EPERM, "program": EPERM, "signal": EPERM, "file": 0])
  }

  @Test(.enabled(if: jamjar_landlock_version() > 0, "the kernel has no Landlock"))
  func noFileOutsideOfItsFoldersIsToBeHad() throws {
    let scratch = try ConfinedPlace()
    let paths = scratch.paths
    let answers = onThread {
      let rules = jamjar_landlock_begin(0)
      for (path, reach) in [(paths.own, jamjar_reach_write), (paths.take, jamjar_reach_read)] {
        jamjar_landlock_permit_path(rules, path, reach)
      }
      _ = jamjar_landlock_end(rules)
      close(rules)
    } _: {
      [
        "writes its own": Self.opened { open(paths.own + "/new", O_CREAT | O_WRONLY, 0o600) },
        "renames its own": Self.code { rename(paths.own + "/new", paths.own + "/newer") },
        "reads the take": Self.opened { open(paths.take + "/track", O_RDONLY) },
        "changes the take": Self.opened { open(paths.take + "/track", O_WRONLY) },
        "removes from the take": Self.code { unlink(paths.take + "/track") },
        "reads another take": Self.opened { open(paths.other + "/track", O_RDONLY) },
        "lists another take": Self.opened { open(paths.other, O_RDONLY | O_DIRECTORY) },
        "reads the system's": Self.opened { open("/etc/passwd", O_RDONLY) },
      ]
    }
    #expect(
      answers == [
        "writes its own": 0, "renames its own": 0, "reads the take": 0, "changes the take": EACCES,
        "removes from the take": EACCES, "reads another take": EACCES, "lists another take": EACCES,
        "reads the system's": EACCES,
      ])
  }

  /// What Landlock leaves alone, because it changes no contents.
  @Test func ownersModesTimesAndLengthsStayAsTheyAre() throws {
    let scratch = try ConfinedPlace()
    let path = scratch.paths.other + "/track"
    let answers = onThread {
      _ = jamjar_limit_system_calls(jamjar_this_thread, jamjar_rest_nothing)
    } _: {
      let times = [timespec(), timespec()]
      let file = open(path, O_RDWR)
      defer { close(file) }
      return [
        "mode": Self.code { chmod(path, 0o777) },
        "mode of an open file": Self.code { fchmod(file, 0o777) },
        "owner": Self.code { chown(path, getuid(), getgid()) },
        "times": Self.code { utimensat(AT_FDCWD, path, times, 0) },
        "length": Self.code { truncate(path, 0) },
        "link": Self.code { symlink(path, path + "-link") },
        "times of an open file": Self.code { futimens(file, times) },
        "length of an open file": Self.code { ftruncate(file, 1) },
      ]
    }
    let refused = ["mode", "mode of an open file", "owner", "times", "length", "link"]
    let expected = Dictionary(uniqueKeysWithValues: refused.map { ($0, EPERM) })
    #expect(answers == expected.merging(["times of an open file": 0, "length of an open file": 0]) { $1 })
  }

  /// Three folders side by side, two of them with a file.
  private final class ConfinedPlace {
    let paths: (own: String, take: String, other: String)
    private let root: String

    init() throws {
      var template = Array("/tmp/jamjar-confined-XXXXXX".utf8CString)
      let made = mkdtemp(&template) != nil
      try #require(made)
      root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      paths = (root + "/own", root + "/take", root + "/other")
      for path in [paths.own, paths.take, paths.other] { mkdir(path, 0o700) }
      for path in [paths.take, paths.other] { close(open(path + "/track", O_CREAT | O_WRONLY, 0o600)) }
    }

    deinit {
      for name in ["/own/new", "/own/newer", "/take/track", "/other/track"] { unlink(root + name) }
      for path in [paths.own, paths.take, paths.other, root] { rmdir(path) }
    }
  }
}
