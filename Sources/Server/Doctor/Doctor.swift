import HTTPTypes
import Library
import Logging
import Machines
import Music
import Recording
import Rooms
import ServiceLifecycle
import Synchronization

/// Has a process of its own look at the service, one at a time: requests meanwhile get the same answer.
final class Doctor: NamedService {
  struct Report: Sendable {
    var findings: [Finding] = []
    /// False if the time was over before everything had been looked at.
    var isComplete = false
    var checkedAt: WallTime

    var isWell: Bool { findings.allSatisfy { $0.level != .failure } }
  }

  private struct State {
    /// The port of HTTP once the service listens.
    var port: Int?
    var visit: Task<Report, any Error>?
    var isStopping = false
  }

  private struct Overdue: Error {}

  /// Seconds that a visit may take. Without a network every question waits for its answer, and every name for a resolver.
  static let patience = 90

  private let program: String?
  private let order: DoctorWorker.Order?
  private let patience: Int
  private let logger: Logger
  private let state = Mutex(State())

  /// - Parameters:
  ///   - program: the service's own executable; nil where there is none (tests).
  ///   - order: the settings; nil if they are not known.
  init(program: String?, order: DoctorWorker.Order?, patience: Int = Doctor.patience, logger: Logger) {
    self.program = program
    self.order = order
    self.patience = patience
    self.logger = logger
  }

  /// The service has this port of HTTP.
  func listens(on port: Int) { state.withLock { $0.port = port } }

  func run() async throws {
    try? await gracefulShutdown()
    state.withLock { $0.isStopping = true }
  }

  /// Looks at everything, or waits for the visit that is under way.
  /// - Throws: `Problem` 503 if no process could look.
  func report() async throws(Problem) -> Report {
    do {
      return try await visit().value
    } catch is CancellationError {
      throw Doctor.unavailable("the service is stopping")
    } catch {
      logger.error("the doctor could not look", metadata: ["error": "\(error)"])
      throw Doctor.unavailable("\(error)")
    }
  }

  /// The visit that is under way, or a new one.
  func visit() -> Task<Report, any Error> {
    state.withLock { state in
      if let visit = state.visit { return visit }
      let visit = Task { try await examine() }
      state.visit = visit
      return visit
    }
  }

  private static func unavailable(_ reason: String) -> Problem {
    Problem(
      .serviceUnavailable, "doctor-unavailable", "The doctor cannot look",
      "\(reason); on the machine itself, jamjar doctor looks at the same things")
  }

  private func examine() async throws -> Report {
    defer { state.withLock { $0.visit = nil } }
    guard let program, var order else { throw NoProgram() }
    // Where the system chose it, the settings say 0.
    if let port = state.withLock({ $0.port }) { order.settings["port"] = "\(port)" }
    return try await withCheckedThrowingContinuation { [order] continuation in
      // The process ends with the thread that started it.
      _ = WorkerThread("doctor") { [self] in continuation.resume(with: Result { try look(program, order) }) }
    }
  }

  private struct NoProgram: Error, CustomStringConvertible {
    var description: String { "this service cannot start processes of its own" }
  }

  private func look(_ program: String, _ order: DoctorWorker.Order) throws -> Report {
    let end = MonotonicClock.now + .seconds(Int64(patience))
    var report = Report(checkedAt: MonotonicClock.wall)
    // It waits much and works little, which is no sign of hanging.
    let process = try WorkerProcess(program, [DoctorWorker.command], patience: 2 * patience)
    defer { withExtendedLifetime(process) {} }
    do {
      try process.send(order)
      while true {
        let line = try process.next(DoctorWorker.Line.self) {
          if state.withLock({ $0.isStopping }) { throw CancellationError() }
          if MonotonicClock.now > end { throw Overdue() }
        }
        guard case .finding(let finding) = line else { break }
        report.findings.append(finding)
      }
      report.isComplete = true
    } catch is Overdue {
      logger.warning("the doctor had too little time", metadata: ["findings": "\(report.findings.count)"])
    }
    return report
  }
}
