import CLinux
import Glibc
import Logging
import Machines
import Recording
import Synchronization

/// A process that has started, loaded and warmed up, and waits to be copied: each render of a rolling take and each job is
/// a copy of it.
///
/// Starting the executable costs some 40 ms of processor time, most of it linking, which a copy does without; and copies
/// share the memory that neither changes. Copies are children of the service like processes that it starts itself,
/// so everything else is the same for both: being waited for, confinement, and outliving the service. If there is no
/// template, or it does not answer, processes are started in the ordinary way.
package final class WorkerTemplate: Sendable {
  /// What a copy does.
  package enum Work: Sendable {
    /// It renders takes, with a priority that is lower by `niceness`.
    case render(niceness: Int32)
    /// One job of the server's.
    case job

    /// As it is told to the template.
    var number: Int32 {
      switch self {
      case .render(let niceness): max(0, niceness)
      case .job: -1
      }
    }

    init(number: Int32) { self = number < 0 ? .job : .render(niceness: number) }
  }

  private struct Running {
    var process: pid_t
    var control: Int32
  }

  private struct State {
    var running: Running?
    /// When to start another one.
    var next = MonotonicTime(nanoseconds: 0)
  }

  /// Milliseconds in which it answers, its own start included.
  private static let patience: Int64 = 5_000
  /// After a failure.
  private static let pause = MonotonicTime.Span.seconds(60)

  private let program: String
  private let logger: Logger
  private let state = Mutex(State())

  /// Makes templates of `program`: one is started once somebody comes, since a service without anybody needs none.
  init(_ program: String, logger: Logger) {
    self.program = program
    self.logger = logger
  }

  /// Starts a template, if there is none: it gets ready while others do their own work. Waits for nobody.
  func prepare() {
    _ = state.withLockIfAvailable { state in
      if state.running == nil, MonotonicClock.now >= state.next { start(&state) }
    }
  }

  deinit {
    state.withLock { end(&$0) }
  }

  /// A copy with `end` as its standard input and output; nil if there is none to be had.
  package func copy(_ end: Int32, for work: Work) -> pid_t? {
    state.withLock { state in
      if state.running == nil, MonotonicClock.now >= state.next { start(&state) }
      guard let running = state.running else { return nil }
      let isAsked = jamjar_send_number(running.control, work.number, end) == 0
      if isAsked, let copy = WorkerTemplate.copy(heardOn: running.control) { return copy }
      logger.warning("the template of workers does not answer; they are started one by one for a minute")
      // It may have made the copy all the same, and two processes must not share `end`. Once the template is gone, either
      // the copy speaks or the socket ends.
      kill(running.process, SIGKILL)
      defer { self.end(&state) }
      return isAsked ? WorkerTemplate.copy(heardOn: running.control) : nil
    }
  }

  /// The identifier that a copy tells; nil if none was made, or nothing is heard in time.
  private static func copy(heardOn control: Int32) -> pid_t? {
    var (copy, nothing): (Int32, Int32) = (-1, -1)
    return jamjar_receive_number(control, &copy, &nothing) == 1 && copy > 0 ? copy : nil
  }

  private func start(_ state: inout State) {
    state.next = MonotonicClock.now + WorkerTemplate.pause
    var ends: [Int32] = [-1, -1]
    // ThreadSanitizer knows nothing of copies that the C library does not make.
    guard !Confinement.hasSanitizer, jamjar_datagram_pair(&ends) == 0 else { return }
    defer { close(ends[1]) }
    guard jamjar_limit_waiting(ends[0], WorkerTemplate.patience) == 0,
      let process = try? ChildSpawn.spawn(
        program, as: "jamjar", [WorkerTemplate.command], input: ends[1], output: ends[1])
    else {
      close(ends[0])
      return
    }
    state.running = Running(process: process, control: ends[0])
  }

  private func end(_ state: inout State) {
    guard let running = state.running else { return }
    state.running = nil
    close(running.control)
    kill(running.process, SIGKILL)
    var status: Int32 = 0
    while waitpid(running.process, &status, 0) < 0, errno == EINTR {}
  }
}
