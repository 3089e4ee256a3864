import Dispatch
import Foundation
import GRDB
import GRDBSQLite
import Glibc
import Synchronization

/// Reads on the caller's thread: the way to a thread of the pool and back costs as much as finding a page.
///
/// Callers' threads serve others too: they are those of connections. So it reads only if one of its connections is free
/// within a moment, and stops a statement that takes long. There is one connection fewer than cores, so that a disk that
/// hangs leaves a thread for everybody else; after a read that the disk held up, it leaves all to the pool for a while.
/// Where it gives up, the pool reads, with the deadlines of its callers. What needs `SearchFunctions` is always left to
/// the pool: SQLite does not look at the clock within them.
final class QuickReader: Sendable {
  private let path: String
  private let lanes: [Lane]
  /// Never waits for a list.
  private let watch: EditionWatch
  /// When it may read again.
  private let resumption = Atomic<UInt64>(0)

  /// How often to try for a connection, and the pause between, in microseconds: others hold it for the length of a page.
  private static let (tries, pause): (Int, UInt32) = (8, 50)
  /// A read that took longer was held up by the disk; SQLite gives up much sooner by itself. In nanoseconds.
  private static let stall: UInt64 = 500_000_000
  /// How long it leaves a disk alone that held it up, in nanoseconds.
  private static let rest: UInt64 = 5_000_000_000
  /// Where the numbers of this process begin: those of another must not be taken for them.
  private let origin = UInt64.random(in: .min ... .max)

  init(path: String) {
    self.path = path
    watch = EditionWatch(path: path)
    lanes = (1..<max(1, ProcessInfo.processInfo.activeProcessorCount)).map { _ in Lane() }
  }

  /// Returns what `body` reads in one snapshot; nil if that is not possible at once.
  /// - Parameter isSnapshot: false if `body` has one statement, which is a snapshot by itself.
  /// - Throws: errors of `body`, except those of SQLite.
  func read<Value: Sendable>(isSnapshot: Bool = true, _ body: (Database) throws -> Value) throws -> Value? {
    let start = DispatchTime.now().uptimeNanoseconds
    guard !lanes.isEmpty, start >= resumption.load(ordering: .relaxed) else { return nil }
    let tried = try QuickReader.soon {
      for lane in lanes { if let tried = try lane.read(path, isSnapshot: isSnapshot, body) { return tried } }
      return nil
    }
    let end = DispatchTime.now().uptimeNanoseconds
    if end &- start > QuickReader.stall { resumption.store(end &+ QuickReader.rest, ordering: .relaxed) }
    return tried?.value
  }

  /// Tries again for less than a millisecond while `attempt` returns nil.
  private static func soon<Value>(_ attempt: () throws -> Value?) rethrows -> Value? {
    for _ in 1..<tries {
      if let value = try attempt() { return value }
      usleep(pause)
    }
    return try attempt()
  }

  /// A number that is never the same after a change of the file by any connection of any process; nil if it cannot be
  /// told at once.
  var edition: UInt64? {
    guard case .edition(let number)? = QuickReader.soon({ watch.look() }) else { return nil }
    return origin &+ number
  }

  func close() throws {
    for lane in lanes { try lane.close() }
    try watch.close()
  }
}

extension Configuration {
  /// Of a connection that only reads, and waits for nobody.
  static func reading(_ label: String) -> Configuration {
    var configuration = Configuration()
    configuration.label = label
    configuration.readonly = true
    configuration.busyMode = .immediateError
    return configuration
  }
}

/// One connection, made when it is first needed.
private final class Lane: Sendable {
  /// How long a read may take, in nanoseconds.
  private static let patience: UInt64 = 10_000_000
  /// Steps of SQLite's machine between looks at the clock: some ten microseconds.
  private static let interval: CInt = 2_000

  private enum State {
    case fresh
    case open(DatabaseQueue)
    case closed
  }

  private let state = Mutex(State.fresh)
  private let deadline = Atomic<UInt64>(.max)
  /// Looked at before the lock, which asks the kernel when somebody has it.
  private let isTaken = Atomic(false)

  /// What came of a read; the value is nil if SQLite refused or took too long.
  struct Outcome<Value: Sendable>: Sendable {
    var value: Value?
  }

  /// Nil if somebody else is reading.
  /// - Parameter isSnapshot: false for one statement, which needs no transaction around it.
  func read<Value: Sendable>(
    _ path: String, isSnapshot: Bool, _ body: (Database) throws -> Value
  ) throws -> Outcome<Value>? {
    guard !isTaken.exchange(true, ordering: .acquiring) else { return nil }
    defer { isTaken.store(false, ordering: .releasing) }
    return try state.withLockIfAvailable { state in
      do {
        guard let queue = try queue(&state, path) else { return Outcome(value: nil) }
        return Outcome(
          value: try queue.unsafeRead { database in
            // Neither beginning nor end is interrupted: GRDB would stop the process over a transaction that is left
            // open, and SQLite may look at the clock once more after BEGIN has opened one.
            if isSnapshot { try database.cachedStatement(sql: "BEGIN").execute() }
            defer {
              deadline.store(.max, ordering: .relaxed)
              if isSnapshot { try? database.cachedStatement(sql: "COMMIT").execute() }
            }
            deadline.store(DispatchTime.now().uptimeNanoseconds &+ Lane.patience, ordering: .relaxed)
            return try body(database)
          })
      } catch is DatabaseError {
        return Outcome(value: nil)
      } catch is CancellationError {
        return Outcome(value: nil)
      }
    }
  }

  private func queue(_ state: inout State, _ path: String) throws -> DatabaseQueue? {
    switch state {
    case .closed: return nil
    case .open(let queue): return queue
    case .fresh:
      var configuration = Configuration.reading("jamjar.catalog.quick")
      // The connection is this object's own, and so gone before it.
      configuration.prepareDatabase { [unowned self] database in
        // In KiB: the pages of a search lie far apart.
        try database.execute(sql: "PRAGMA cache_size = -8192")
        sqlite3_progress_handler(
          database.sqliteConnection, Lane.interval,
          { lane in
            guard let lane else { return 0 }
            let end = Unmanaged<Lane>.fromOpaque(lane).takeUnretainedValue().deadline.load(ordering: .relaxed)
            return DispatchTime.now().uptimeNanoseconds > end ? 1 : 0
          }, Unmanaged.passUnretained(self).toOpaque())
      }
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      state = .open(queue)
      return queue
    }
  }

  func close() throws {
    try state.withLock { state in
      if case .open(let queue) = state { try queue.close() }
      state = .closed
    }
  }
}
