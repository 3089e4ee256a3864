import Dispatch
import Foundation
import Synchronization

/// One connection with a thread that may block, made when it is first needed and made anew when it was lost.
///
/// Unchecked: `connection`, `problem`, `pause` and `next` are touched on `queue` only, which is serial.
final class PostgreSQLLane: @unchecked Sendable {
  /// The pauses between attempts to connect, in nanoseconds: each is twice the one before.
  private static let (leastPause, mostPause): (UInt64, UInt64) = (100_000_000, 4_000_000_000)

  private let queue: DispatchQueue
  private let connect: @Sendable () throws -> PostgreSQLConnection
  private var connection: PostgreSQLConnection?
  /// Why the last attempt failed; callers during the pause after it hear the same at once.
  private var problem: (any Error)?
  private var pause = leastPause
  private var next: UInt64 = 0
  private let jobs = Atomic(0)
  private let isClosed = Atomic(false)

  init(_ name: String, _ connect: @escaping @Sendable () throws -> PostgreSQLConnection) {
    queue = DispatchQueue(label: name)
    self.connect = connect
  }

  /// How many calls wait or run.
  var load: Int { jobs.load(ordering: .relaxed) }

  /// Returns what `body` does with the lane.
  /// - Throws: errors of `body`.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable (PostgreSQLLane) throws -> Value
  ) async throws -> Value {
    jobs.add(1, ordering: .relaxed)
    defer { jobs.subtract(1, ordering: .relaxed) }
    return try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body(self) }) }
    }
  }

  /// The connection. On the lane's queue only.
  /// - Throws: `PostgreSQLProblem`, `CatalogError.newerSchema`.
  func open() throws -> PostgreSQLConnection {
    if let connection, connection.isOpen { return connection }
    connection = nil
    guard !isClosed.load(ordering: .relaxed) else { throw PostgreSQLProblem("the index is closed") }
    let now = DispatchTime.now().uptimeNanoseconds
    if let problem, now < next { throw problem }
    do {
      let made = try connect()
      (connection, problem, pause) = (made, nil, PostgreSQLLane.leastPause)
      return made
    } catch {
      problem = error
      next = DispatchTime.now().uptimeNanoseconds &+ pause
      pause = min(pause * 2, PostgreSQLLane.mostPause)
      throw error
    }
  }

  /// Gives up a connection whose state is unknown. On the lane's queue only.
  func drop() { connection = nil }

  /// Closes the connection once what waits is done; later calls fail.
  func close() {
    isClosed.store(true, ordering: .relaxed)
    queue.async { self.drop() }
  }
}
