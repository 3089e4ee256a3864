import Glibc
import NIOCore
import NIOPosix
import Recording
import Rooms
import Synchronization

/// A child process that reads bytes and writes others, for the length of one call.
///
/// The end depends neither on a queue nor on the child. When the call returns, throws or is cancelled, or the child
/// hangs, the child is killed and waited for, and both pipes are closed.
final class ChildPipes: Sendable {
  /// Writes to the child's standard input; returns once the pipe takes more.
  typealias Write = @Sendable (ByteBuffer) async throws -> Void

  private typealias Stream = NIOAsyncChannel<ByteBuffer, ByteBuffer>

  /// The present state of both directions, for detecting a hung child.
  private struct Progress {
    /// Number of pieces written and read.
    var pieces = 0
    /// A write is pending.
    var isWriting = false
    /// A read of the output is pending.
    var isReading = false
    /// The child has a first answer to give, whatever else is pending.
    var owesFirst = false
    /// Set at the end of the input.
    var input: Result<Void, any Error>?
    var hasStalled = false
    /// A write failed: the child reads no more.
    var isBroken = false
  }

  /// Interval of checking the child's progress.
  private static let interval = Duration.seconds(1)
  /// Checks without progress after which a child with pending work is killed. Checks, not seconds: a suspended machine
  /// must not kill the child.
  static let patience = 20

  /// What runs at the other end of the pipes.
  private enum Child {
    case process(SpawnedProcess)
    /// A thread of this process: it ends with its pipes.
    case thread

    func kill() {
      if case .process(let process) = self { process.kill() }
    }

    func end() async {
      if case .process(let process) = self { await process.end() }
    }
  }

  private let program: String
  private let stream: Stream
  private let child: Child
  private let progress = Mutex(Progress())

  /// Starts the program of that name, writes its input by `feed` and gives its output to `take`, piece by piece, until
  /// both end; its standard error goes to ours.
  ///
  /// - Parameter executable: the service's own, which confines it; nil starts it as it is.
  /// - Throws: `IOError` with `ENOENT` if the program is not installed, `ChildFailure` if it ended before its input or
  ///   hung, and errors of `feed` and `take`.
  static func run(
    _ program: String, _ arguments: [String], needs: ForeignProgram.Needs = .pipes,
    confinedBy executable: String? = nil, patience: Int = ChildPipes.patience,
    feed: @escaping @Sendable (Write) async throws -> Void, take: (ByteBuffer) async throws -> Void
  ) async throws {
    let (process, input, output) =
      if let executable {
        try SpawnedProcess.start(executable, as: program, confining(program, arguments, needs))
      } else {
        try SpawnedProcess.start(program, arguments)
      }
    try await run(program, .process(process), input: input, output: output, patience, feed, take)
  }

  private static func confining(
    _ program: String, _ arguments: [String], _ needs: ForeignProgram.Needs
  ) throws -> [String] {
    do throws(ChildSpawn.Failure) {
      return try ForeignProgram.words(program, arguments, needs: needs)
    } catch {
      throw IOError(errnoCode: error.code, reason: "\(program) cannot be started")
    }
  }

  /// The same with a codec worker, which answers its first message at once: an encoder gets nothing to do before that, so
  /// one that hangs at its start would show in nothing else.
  /// - Parameter program: the service's own executable; nil runs the worker on a thread, without its confinement.
  static func runCodec(
    program: String?, patience: Int = ChildPipes.patience,
    feed: @escaping @Sendable (Write) async throws -> Void,
    take: (ByteBuffer) async throws -> Void
  ) async throws {
    guard let program else {
      let (input, output) = try startThread()
      return try await run(
        CodecWorker.processName, .thread, input: input, output: output, patience, owesFirst: true, feed, take)
    }
    let (process, input, output) = try SpawnedProcess.start(
      program, as: CodecWorker.processName, [CodecWorker.command])
    try await run(
      CodecWorker.processName, .process(process), input: input, output: output, patience, owesFirst: true, feed, take)
  }

  private static func startThread() throws -> (input: Int32, output: Int32) {
    let (input, output) = try SpawnedProcess.pipes()
    _ = WorkerThread(CodecWorker.processName) {
      // A pipe that nobody reads ends the thread, not the process.
      var broken = sigset_t()
      sigemptyset(&broken)
      sigaddset(&broken, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &broken, nil)
      CodecWorker.serve(input: input.reading, output: output.writing)
      for end in [input.reading, output.writing] { close(end) }
    }
    return (input.writing, output.reading)
  }

  private static func run(
    _ program: String, _ child: Child, input: Int32, output: Int32, _ patience: Int,
    owesFirst: Bool = false, _ feed: @escaping @Sendable (Write) async throws -> Void,
    _ take: (ByteBuffer) async throws -> Void
  ) async throws {
    let pipes = try await ChildPipes(program, child, input: input, output: output)
    pipes.progress.withLock { $0.owesFirst = owesFirst }
    let result: Result<Void, any Error>
    do {
      try await withTaskCancellationHandler {
        try await pipes.exchange(feed, take, patience)
      } onCancel: {
        child.kill()
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await child.end()
    try result.get()
  }

  private init(_ program: String, _ child: Child, input: Int32, output: Int32) async throws {
    self.program = program
    self.child = child
    do {
      stream = try await NIOPipeBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .takingOwnershipOfDescriptors(input: output, output: input) { channel in
          channel.eventLoop.makeCompletedFuture {
            try Stream(
              wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
          }
        }
    } catch {
      for end in [input, output] { close(end) }
      await child.end()
      throw error
    }
  }

  private func exchange(
    _ feed: @escaping @Sendable (Write) async throws -> Void, _ take: (ByteBuffer) async throws -> Void, _ patience: Int
  ) async throws {
    try await stream.executeThenClose { inbound, outbound in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          let result: Result<Void, any Error>
          do {
            try await feed { buffer in
              self.progress.withLock { $0.isWriting = true }
              do {
                try await outbound.write(buffer)
              } catch let error where !(error is CancellationError) {
                self.progress.withLock { $0.isBroken = true }
                throw error
              }
              self.progress.withLock { ($0.isWriting, $0.pieces) = (false, $0.pieces + 1) }
            }
            result = .success(())
          } catch {
            result = .failure(error)
          }
          self.progress.withLock { $0.input = result }
          outbound.finish()
        }
        group.addTask { await self.watch(patience) }
        defer { group.cancelAll() }
        self.progress.withLock { $0.isReading = true }
        do {
          for try await chunk in inbound {
            self.progress.withLock { ($0.isReading, $0.owesFirst, $0.pieces) = (false, false, $0.pieces + 1) }
            try await take(chunk)
            self.progress.withLock { $0.isReading = true }
          }
        } catch let error as IOError {
          // The pipe broke: the child's exit status says more.
          throw self.failure ?? error
        }
        if let failure = self.failure { throw failure }
      }
    }
  }

  /// The reason of a premature end of the output, otherwise nil.
  private var failure: (any Error)? {
    progress.withLock { progress in
      if progress.hasStalled { return ChildFailure.stalled(program) }
      if progress.isBroken { return ChildFailure.ended(program) }
      switch progress.input {
      case .success?: return nil
      case .failure(let error)? where !(error is IOError || error is ChannelError): return error
      case .failure?, nil: return ChildFailure.ended(program)
      }
    }
  }

  /// Kills the child if it neither accepts pending input nor gives expected output.
  private func watch(_ patience: Int) async {
    var (seen, looks) = (0, 0)
    while (try? await Task.sleep(for: ChildPipes.interval)) != nil {
      let (pieces, isOwing) = progress.withLock { progress in
        (
          progress.pieces,
          progress.isReading && (progress.isWriting || progress.owesFirst || progress.input != nil)
        )
      }
      looks = isOwing && pieces == seen ? looks + 1 : 0
      seen = pieces
      guard looks >= patience else { continue }
      progress.withLock { $0.hasStalled = true }
      return child.kill()
    }
  }
}

/// A misbehaviour of a child process.
enum ChildFailure: Error, CustomStringConvertible {
  case ended(String)
  case stalled(String)

  var description: String {
    switch self {
    case .ended(let program): "\(program) ended before it had read all of its input"
    case .stalled(let program): "\(program) hung and was killed"
    }
  }
}
