import Glibc
import NIOCore
import NIOPosix
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
    /// Set at the end of the input.
    var input: Result<Void, any Error>?
    var hasStalled = false
  }

  /// Interval of checking the child's progress.
  private static let interval = Duration.seconds(1)
  /// Checks without progress after which a child with pending work is killed. Checks, not seconds: a suspended machine
  /// must not kill the child.
  static let patience = 20

  private let program: String
  private let stream: Stream
  private let process: SpawnedProcess
  private let progress = Mutex(Progress())

  /// Starts the program of that name, writes its input by `feed` and gives its output to `take`, piece by piece, until
  /// both end; its standard error goes to ours.
  /// - Throws: `IOError` with `ENOENT` if the program is not installed, `ChildFailure` if it ended before its input or
  ///   hung, and errors of `feed` and `take`.
  static func run(
    _ program: String, _ arguments: [String], patience: Int = ChildPipes.patience,
    feed: @escaping @Sendable (Write) async throws -> Void, take: (ByteBuffer) async throws -> Void
  ) async throws {
    let child = try await ChildPipes(program, arguments)
    let result: Result<Void, any Error>
    do {
      try await withTaskCancellationHandler {
        try await child.exchange(feed, take, patience)
      } onCancel: {
        child.process.kill()
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await child.process.end()
    try result.get()
  }

  private init(_ program: String, _ arguments: [String]) async throws {
    self.program = program
    let (process, input, output) = try SpawnedProcess.start(program, arguments)
    self.process = process
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
      await process.end()
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
              try await outbound.write(buffer)
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
            self.progress.withLock { ($0.isReading, $0.pieces) = (false, $0.pieces + 1) }
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
        (progress.pieces, progress.isReading && (progress.isWriting || progress.input != nil))
      }
      looks = isOwing && pieces == seen ? looks + 1 : 0
      seen = pieces
      guard looks >= patience else { continue }
      progress.withLock { $0.hasStalled = true }
      return process.kill()
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
