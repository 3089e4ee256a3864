import CLinux
import GRDB
import GRDBSQLite
import Synchronization

/// Tells every state of an SQLite file from the others, without a query.
///
/// All connections of all processes share the index of the write-ahead log in memory. A commit changes its header: it has the
/// number of transactions, frames and a checksum over all of them. SQLite itself finds out by this comparison whether what a
/// connection keeps is still true (https://sqlite.org/walformat.html, section 2.1).
final class EditionWatch: Sendable {
  private enum State {
    case fresh
    case open(DatabaseQueue, header: UnsafeMutableRawPointer)
    case closed
  }

  private let path: String
  private let state = Mutex(State.fresh)

  /// Of the header, which is there twice (section 2.1 of the format).
  private static let words = 48 / MemoryLayout<UInt64>.size
  /// Of the index's first piece, in bytes.
  private static let piece: CInt = 32_768

  init(path: String) {
    self.path = path
  }

  /// What a look at the header finds.
  enum Finding {
    /// A number of the present state.
    case edition(UInt64)
    /// Without a log, and once it is closed, no attempt will find anything.
    case nothing
  }

  /// Nil while somebody else looks, or a commit changes the header: another attempt may succeed.
  func look() -> Finding? {
    let finding: Finding?? = state.withLockIfAvailable { state -> Finding? in
      guard let header = header(&state) else { return .nothing }
      return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: EditionWatch.words) { copy -> Finding? in
        guard let words = copy.baseAddress, jamjar_copy_of_twins(header, words, EditionWatch.words) == 1
        else { return nil }
        // As FNV-1a, by words; what differs in one of them differs in the number.
        let number = copy.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { number, word in
          let mixed = (number ^ word) &* 0x9E37_79B9_7F4A_7C15
          return mixed ^ (mixed &>> 32)
        }
        return .edition(number)
      }
    }
    return finding ?? nil
  }

  private func header(_ state: inout State) -> UnsafeMutableRawPointer? {
    switch state {
    case .closed: return nil
    case .open(_, let header): return header
    case .fresh:
      guard let queue = try? DatabaseQueue(path: path, configuration: .reading("jamjar.catalog.edition")),
        let header = try? queue.read({ try EditionWatch.header(of: $0) })
      else { return nil }
      state = .open(queue, header: header)
      return header
    }
  }

  /// The memory in which SQLite has the index of the log, for as long as the connection is open; nil without a log.
  private static func header(of database: Database) throws -> UnsafeMutableRawPointer? {
    // A connection joins the log with its first read.
    _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
    var file: UnsafeMutablePointer<sqlite3_file>?
    let found = withUnsafeMutablePointer(to: &file) {
      sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, $0)
    }
    guard found == SQLITE_OK, let file, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
      let map = methods.pointee.xShmMap
    else { return nil }
    var memory: UnsafeMutableRawPointer?
    guard map(file, 0, piece, 0, &memory) == SQLITE_OK else { return nil }
    return memory
  }

  func close() throws {
    try state.withLock { state in
      if case .open(let queue, _) = state { try queue.close() }
      state = .closed
    }
  }
}
