import Glibc
import NIOCore
import NIOPosix

/// A child process that reads bytes and writes others: its two pipes as one channel.
final class ChildPipes: Sendable {
  typealias Stream = NIOAsyncChannel<ByteBuffer, ByteBuffer>

  let stream: Stream
  private let identifier: pid_t

  /// Starts the program of that name; what it says on standard error goes to ours.
  /// - Throws: `IOError` with `ENOENT` where it is not installed, or what pipes and spawning fail with.
  init(_ program: String, _ arguments: [String]) async throws {
    let (input, output) = (try ChildPipes.pipe(), try ChildPipes.pipe())
    do {
      identifier = try ChildPipes.spawn(program, arguments, reading: input.reading, writing: output.writing)
    } catch {
      for end in [input.reading, input.writing, output.reading, output.writing] { close(end) }
      throw error
    }
    close(input.reading)
    close(output.writing)
    stream = try await NIOPipeBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .takingOwnershipOfDescriptors(input: output.reading, output: input.writing) { channel in
        channel.eventLoop.makeCompletedFuture {
          try Stream(
            wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
      }
  }

  /// Ends the process and waits for it, so that nothing of it stays behind.
  func end() async {
    kill(identifier, SIGKILL)
    let identifier = identifier
    try? await NIOThreadPool.singleton.runIfActive {
      var status: Int32 = 0
      while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    }
  }

  /// Both ends are closed in every other child of ours.
  private static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { throw IOError(errnoCode: errno, reason: "pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func spawn(
    _ program: String, _ arguments: [String], reading: Int32, writing: Int32
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, reading, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, writing, STDOUT_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Swift's threads block signals that a child has to hear; and it must not die with our terminal's Ctrl-C before its
    // last samples are out.
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
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
    guard problem == 0 else { throw IOError(errnoCode: problem, reason: "\(program) cannot be started") }
    return identifier
  }
}
