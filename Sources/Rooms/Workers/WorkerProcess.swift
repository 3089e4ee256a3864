import CLinux
import Glibc
import Synchronization

/// A process of the service's own executable that does one piece of work, and the socket to it.
///
/// A fault in the work ends this process only. It is killed if it hangs while its answer is awaited, and when the
/// object is released. Used from one thread at a time, except for `ending`.
package final class WorkerProcess {
  /// How a process ended, or why it never began.
  package enum Loss: Error, Hashable, Sendable, CustomStringConvertible {
    case notStarted(ChildSpawn.Failure)
    /// The status as given by waitpid(2).
    case ended(status: Int32)
    /// It used no processor time for this many seconds while its answer was awaited.
    case hung(seconds: Int)
    /// It was asked to end by `ending`.
    case unwanted

    /// False if something else ended the process: its service, somebody's SIGKILL, or the kernel for want of memory.
    package var isItsOwnFault: Bool {
      switch self {
      case .notStarted, .unwanted: false
      case .ended(let status): status & 0x7F != SIGKILL
      case .hung: true
      }
    }

    package var description: String {
      switch self {
      case .notStarted(let failure): "no process could be started for it: \(failure)"
      case .ended(let status):
        switch status & 0x7F {
        case 0: "its process ended with exit code \(status >> 8 & 0xFF) before its work was done"
        case SIGXCPU: "its process used more processor time than its size explains"
        case let signal: "its process was ended by signal \(signal)"
        }
      case .hung(let seconds): "its process did nothing for \(seconds) s and was ended"
      case .unwanted: "it was cancelled"
      }
    }
  }

  /// Seconds without any work of the process after which it is killed, measured by looks: a suspended machine must not
  /// kill it.
  package static let patience = 30

  /// The process, until it has been waited for: afterwards its id may be reused.
  private final class State: Sendable {
    private let running: Mutex<pid_t?>
    private let isUnwanted = Mutex(false)

    init(_ identifier: pid_t) {
      running = Mutex(identifier)
    }

    /// True if it was asked to end.
    var wasEnded: Bool { isUnwanted.withLock { $0 } }

    func end() {
      isUnwanted.withLock { $0 = true }
      kill()
    }

    func kill() {
      running.withLock { if let identifier = $0 { _ = Glibc.kill(identifier, SIGKILL) } }
    }

    /// Nanoseconds of processor time used so far.
    var work: Int64 { running.withLock { $0.map { jamjar_processor_time($0) } ?? -1 } }

    /// Ends the process if it is still running, waits for it and returns its waitpid status.
    func reap() -> Int32 {
      running.withLock { running in
        guard let identifier = running else { return 0 }
        Glibc.kill(identifier, SIGKILL)
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        running = nil
        return status
      }
    }
  }

  private let state: State
  private let socket: LineSocket
  private let patience: Int
  private var seen: Int64 = 0
  private var idleLooks = 0
  private var loss: Loss?

  /// Starts `program` with `arguments`; its standard input and output are the other end of the socket.
  /// - Throws: `Loss.notStarted`.
  package convenience init(
    _ program: String, _ arguments: [String], patience: Int = WorkerProcess.patience
  ) throws(Loss) {
    try self.init(program, patience: patience) { end throws(ChildSpawn.Failure) in
      try ChildSpawn.spawn(program, as: "jamjar", arguments, input: end, output: end)
    }
  }

  /// - Parameters:
  ///   - program: its name, for errors.
  ///   - start: starts it as a child of this process, with the other end of the socket as its standard input and output.
  /// - Throws: `Loss.notStarted`.
  package init(
    _ program: String, patience: Int = WorkerProcess.patience,
    starting start: (Int32) throws(ChildSpawn.Failure) -> pid_t
  ) throws(Loss) {
    self.patience = patience
    var ends: [Int32] = [-1, -1]
    guard jamjar_socket_pair(&ends) == 0 else {
      throw .notStarted(ChildSpawn.Failure(program: program, code: errno))
    }
    socket = LineSocket(owning: ends[0])
    defer { close(ends[1]) }
    do throws(ChildSpawn.Failure) {
      state = State(try start(ends[1]))
    } catch {
      throw .notStarted(error)
    }
  }

  deinit {
    // Before the socket closes: a process may take the end of its input for an order.
    _ = state.reap()
  }

  /// Sends a line.
  ///
  /// - Parameter waits: if false, the line is dropped unless the process has read all earlier ones.
  /// - Throws: `Loss` if the process is gone or hangs.
  package func send(_ value: some Encodable, waits: Bool = true) throws {
    startWatch()
    do {
      try socket.send(value, waits: waits) { try self.look() }
    } catch is LineSocket.Closed {
      throw end()
    }
  }

  /// Waits for the next line.
  ///
  /// - Parameter proceed: called a few times a second; an error it throws ends the process.
  /// - Throws: `Loss` if the process is gone, hangs or writes nonsense; errors of `proceed`.
  package func next<Value: Decodable>(_ type: Value.Type, proceed: () throws -> Void = {}) throws -> Value {
    startWatch()
    do {
      let line = try withoutActuallyEscaping(proceed) { proceed in
        try socket.next(type) {
          try proceed()
          try self.look()
        }
      }
      guard let line else { throw end() }
      return line
    } catch is LineSocket.Closed {
      throw end()
    } catch is DecodingError {
      throw end()
    } catch let loss as Loss {
      throw loss
    } catch {
      _ = state.reap()
      throw error
    }
  }

  /// Ends the process at once, from any thread; a caller waiting for its answer gets `Loss.unwanted`.
  package var ending: @Sendable () -> Void {
    let state = state
    return { state.end() }
  }

  private func startWatch() { (seen, idleLooks) = (state.work, 0) }

  /// Ends the process if it has not worked since the last looks.
  private func look() throws(Loss) {
    let work = state.work
    guard work == seen else {
      (seen, idleLooks) = (work, 0)
      return
    }
    idleLooks += 1
    guard idleLooks >= patience * LineSocket.idlesPerSecond else { return }
    loss = .hung(seconds: patience)
    throw end()
  }

  /// Waits for the process and says how it ended.
  private func end() -> Loss {
    let status = state.reap()
    let found = state.wasEnded ? Loss.unwanted : loss ?? .ended(status: status)
    loss = found
    return found
  }
}
