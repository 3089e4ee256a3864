import Recording
import Rooms

/// Runs jobs in worker processes, or on the calling thread where there is no program for them (tests).
struct JobRunner: Sendable {
  /// The executable; nil runs jobs here.
  let program: String?
  /// Of which its processes are copies; without one, each is started.
  var template: WorkerTemplate?
  /// The data folder.
  let root: String
  /// Where sound files may be that are not here.
  var objects: Objects?

  /// A job made something else than was ordered: an error of the program.
  struct WrongResult: Error, CustomStringConvertible {
    var description: String { "the process of the job made something else than was ordered" }
  }

  /// Whether a fault in the work ends its own process only.
  var hasProcesses: Bool { program != nil }

  /// Does the work and waits for it, on a thread that may block.
  ///
  /// - Parameter progress: receives the fraction done, and a few times a second nil; an error it throws ends the work,
  ///   and its process has ended when this returns.
  /// - Throws: `BackupRefusal`, `FileProblem`, `JobFailure` and others as the work; `WorkerProcess.Loss` if its
  ///   process did not survive; errors of `progress`.
  func run(_ order: JobOrder, progress: @escaping (Double?) throws -> Void) throws -> JobResult {
    let held = try objects?.holdBlocking(order.soundFolders) ?? []
    defer { objects?.release(held) }
    guard let program else { return try JobWork(order, root: root).run(progress: progress) }
    let process = try WorkerProcess(program) { end throws(ChildSpawn.Failure) in
      if let copy = template?.copy(end, for: .job) { return copy }
      return try ChildSpawn.spawn(program, as: "jamjar", [JobWorker.command], input: end, output: end)
    }
    defer { withExtendedLifetime(process) {} }
    try process.send(JobWorker.Order(root: root, work: order))
    while true {
      switch try process.next(JobWorker.Report.self, proceed: { try progress(nil) }) {
      case .progress(let done): try progress(done)
      case .done(let result): return result
      case .refused(let refusal): throw refusal
      case .failed(_, let problem?): throw problem
      case .failed(let sentence, nil): throw JobFailure(description: sentence)
      }
    }
  }
}

/// An error that a job's process reported.
struct JobFailure: Error, CustomStringConvertible {
  var description: String
}

/// The other end: a process that does one job for the service and ends.
package enum JobWorker {
  /// The command that runs it.
  package static let command = "worker"
  /// Amount by which its priority is below that of the media loops; also below renders.
  private static let niceness: Int32 = 15
  /// Least difference between two reports of progress.
  private static let step = 0.002

  /// The first and only line to the process.
  struct Order: Sendable, Codable {
    /// The data folder.
    var root: String
    var work: JobOrder
  }

  /// The lines of the process; every one but `progress` is the last.
  enum Report: Sendable, Codable {
    /// The fraction done, 0 to 1.
    case progress(Double)
    case done(JobResult)
    case refused(BackupRefusal)
    case failed(sentence: String, file: FileProblem?)
  }

  /// Does the job whose order arrives on `socket`.
  /// - Throws: errors that stop the process without an answer.
  package static func run(on socket: LineSocket) throws {
    Confinement.begin(as: "jamjar-job", niceness: niceness)
    guard let order = try socket.next(Order.self) else { return }
    Confinement.end(with: socket)
    try socket.send(report(of: order, to: socket))
  }

  private static func report(of order: Order, to socket: LineSocket) -> Report {
    do {
      let work = try JobWork(order.work, root: order.root)
      work.confinement.enforce()
      var told = 0.0
      return .done(
        try work.run { progress in
          guard let progress, progress - told >= step else { return }
          told = progress
          try socket.send(Report.progress(progress), waits: false)
        })
    } catch let refusal as BackupRefusal {
      return .refused(refusal)
    } catch {
      return .failed(sentence: "\(error)", file: error as? FileProblem)
    }
  }
}
