import DequeModule
import Music

/// All exports and the order in which they are made: what is decided without a file, a thread or a clock.
struct ExportBook: Sendable {
  /// Exports that wait at most.
  let queueLimit: Int
  /// Exports that are known at most; the oldest that are over make room.
  let capacity: Int
  /// How long finished exports are kept, in seconds.
  let retention: Int64

  private(set) var jobs: [String: ExportJob] = [:]
  private var queue: Deque<String> = []
  /// Running exports that somebody does not want any more.
  private var unwanted: Set<String> = []

  init(queueLimit: Int, capacity: Int, retention: Int64) {
    self.queueLimit = queueLimit
    self.capacity = capacity
    self.retention = retention
  }

  /// What became of a wish.
  enum Submission: Hashable, Sendable {
    /// It waits now.
    case queued(ExportJob)
    /// The same export is there already, or on its way.
    case existing(ExportJob)
    /// Too many wait.
    case full
  }

  /// All of them, the newest first.
  var list: [ExportJob] {
    jobs.values.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
  }

  var waitingCount: Int { queue.count }

  /// Takes a finished export of a former process over.
  mutating func restore(_ job: ExportJob) {
    guard job.state == .done, jobs[job.id] == nil else { return }
    jobs[job.id] = job
  }

  /// Adds an export unless the same one is there and did not fail.
  mutating func submit(_ job: ExportJob) -> Submission {
    // A try that was cancelled still ends: two would write into one folder.
    guard !unwanted.contains(job.id) else { return .full }
    if let existing = jobs[job.id], existing.state != .failed { return .existing(existing) }
    guard queue.count < queueLimit, jobs.count < capacity || jobs[job.id] != nil else { return .full }
    jobs[job.id] = job
    queue.append(job.id)
    return .queued(job)
  }

  /// The next export to be made, which runs from now on.
  mutating func start() -> ExportJob? {
    while let id = queue.popFirst() {
      guard var job = jobs[id], job.state == .queued else { continue }
      job.state = .running
      jobs[id] = job
      return job
    }
    return nil
  }

  /// Notes how far a running export is; false where it should stop.
  mutating func advance(_ id: String, to progress: Double) -> Bool {
    guard !unwanted.contains(id), var job = jobs[id], job.state == .running else { return false }
    job.progress = min(1, max(job.progress, progress.isFinite ? progress : 0))
    jobs[id] = job
    return true
  }

  /// A running export has made its file; nil where nobody wants it any more, then its files are to be removed.
  mutating func finish(_ id: String, file: String, size: Int64, at time: WallTime) -> ExportJob? {
    end(id, at: time) { job in
      (job.state, job.progress, job.file, job.size) = (.done, 1, file, size)
    }
  }

  /// A running export came to nothing; nil where nobody wants it any more.
  mutating func fail(_ id: String, problem: String, at time: WallTime) -> ExportJob? {
    end(id, at: time) { job in (job.state, job.problem) = (.failed, problem) }
  }

  private mutating func end(_ id: String, at time: WallTime, _ change: (inout ExportJob) -> Void) -> ExportJob? {
    if unwanted.remove(id) != nil { return nil }
    guard var job = jobs[id], job.state == .running else { return nil }
    change(&job)
    job.finishedAt = time
    jobs[id] = job
    return job
  }

  /// Cancels an export that is not over and forgets one that is. Nil where there is none of that identifier.
  mutating func remove(_ id: String, at time: WallTime) -> Removal? {
    guard var job = jobs.removeValue(forKey: id) else { return nil }
    queue.removeAll { $0 == id }
    let wasRunning = job.state == .running
    if wasRunning { unwanted.insert(id) }
    guard !job.state.isOver else { return Removal(job: job, wasOver: true, isStillWritten: false) }
    job.state = .cancelled
    job.finishedAt = time
    return Removal(job: job, wasOver: false, isStillWritten: wasRunning)
  }

  /// What was removed.
  struct Removal: Hashable, Sendable {
    var job: ExportJob
    /// It was there, or had failed; nothing was cancelled.
    var wasOver: Bool
    /// Whoever makes it has still to hear of it, and removes its files then.
    var isStillWritten: Bool
  }

  /// Forgets what was kept long enough; its files are to be removed.
  mutating func expire(at now: WallTime) -> [ExportJob] {
    let over = jobs.values.filter { job in job.expiry(retention: retention).map { $0 <= now } ?? false }
    for job in over { jobs[job.id] = nil }
    return over.sorted { $0.id < $1.id }
  }
}
