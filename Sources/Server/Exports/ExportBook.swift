import DequeModule
import Music

/// All exports and their order: the decisions that need no file, thread or clock.
struct ExportBook: Sendable {
  /// Maximum number of waiting exports.
  let queueLimit: Int
  /// A room has at most this fraction (one nth) of them waiting, and that fraction is left to the operator.
  private static let share = 4
  /// Maximum number of known exports; the oldest ended ones make room.
  let capacity: Int
  /// Time to keep finished exports, in seconds.
  let retention: Int64

  private(set) var jobs: [String: ExportJob] = [:]
  private var queue: Deque<String> = []
  /// Running exports that have been cancelled.
  private var unwanted: Set<String> = []
  /// The turn in which an export of each room was last begun: the rooms take turns.
  private var turns: [RoomName: UInt64] = [:]
  private var turn: UInt64 = 0

  init(queueLimit: Int, capacity: Int, retention: Int64) {
    self.queueLimit = queueLimit
    self.capacity = capacity
    self.retention = retention
  }

  /// The result of requesting an export.
  enum Submission: Hashable, Sendable {
    /// The export is waiting.
    case queued(ExportJob)
    /// The same export exists already, or is in progress.
    case existing(ExportJob)
    /// Too many exports are waiting: as many as there may be of the room, or of all.
    case full(ofRoom: Int?)
  }

  /// All exports, newest first.
  var list: [ExportJob] {
    jobs.values.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
  }

  var waitingCount: Int { queue.count }

  /// Adopts a finished export of a former process.
  mutating func restore(_ job: ExportJob) {
    guard job.state == .done, jobs[job.id] == nil else { return }
    jobs[job.id] = job
  }

  /// Adds an export unless the same one exists and has not failed.
  ///
  /// - Parameter isPrivileged: true for the operator and for exports that waited before a restart, which only all
  ///   exports together limit.
  mutating func submit(_ job: ExportJob, isPrivileged: Bool = true) -> Submission {
    // A cancelled attempt is still ending: two would write into one folder.
    guard !unwanted.contains(job.id) else { return .full(ofRoom: nil) }
    if let existing = jobs[job.id], existing.state != .failed { return .existing(existing) }
    let share = max(1, queueLimit / ExportBook.share)
    if !isPrivileged, queue.count(where: { jobs[$0]?.room == job.room }) >= share { return .full(ofRoom: share) }
    // In range: a share is a part of the limit.
    let most = isPrivileged ? queueLimit : max(1, queueLimit - share)
    guard queue.count < most, jobs.count < capacity || jobs[job.id] != nil else { return .full(ofRoom: nil) }
    jobs[job.id] = job
    queue.append(job.id)
    return .queued(job)
  }

  /// Returns the next export to make, and marks it as running: the oldest of the room whose turn is longest ago.
  mutating func start() -> ExportJob? {
    queue.removeAll { jobs[$0]?.state != .queued }
    func last(_ id: String) -> UInt64 { jobs[id].flatMap { turns[$0.room] } ?? 0 }
    guard let index = queue.indices.min(by: { (last(queue[$0]), $0) < (last(queue[$1]), $1) }),
      var job = jobs[queue.remove(at: index)]
    else { return nil }
    turn += 1
    // Rooms without a waiting export are as good as new.
    let waiting = Set(queue.compactMap { jobs[$0]?.room })
    turns = turns.filter { waiting.contains($0.key) }
    turns[job.room] = turn
    job.state = .running
    jobs[job.id] = job
    return job
  }

  /// Returns a running export to the waiting ones after a lost attempt; it is not started before `resume`. Nil if it
  /// was cancelled and its files are to be removed.
  mutating func postpone(_ id: String) -> ExportJob? {
    if unwanted.remove(id) != nil { return nil }
    guard var job = jobs[id], job.state == .running else { return nil }
    (job.state, job.progress) = (.queued, 0)
    jobs[id] = job
    return job
  }

  /// Queues a postponed export again.
  mutating func resume(_ id: String) {
    guard jobs[id]?.state == .queued, !queue.contains(id) else { return }
    queue.append(id)
  }

  /// True if a running export has been cancelled.
  func isUnwanted(_ id: String) -> Bool { unwanted.contains(id) }

  /// Records the progress of a running export; false if it should stop.
  mutating func advance(_ id: String, to progress: Double) -> Bool {
    guard !unwanted.contains(id), var job = jobs[id], job.state == .running else { return false }
    job.progress = min(1, max(job.progress, progress.isFinite ? progress : 0))
    jobs[id] = job
    return true
  }

  /// Records that a running export has made its file; nil if it was cancelled and its files are to be removed.
  mutating func finish(_ id: String, file: String, size: Int64, at time: WallTime) -> ExportJob? {
    end(id, at: time) { job in
      (job.state, job.progress, job.file, job.size) = (.done, 1, file, size)
    }
  }

  /// Records that a running export failed; nil if it was cancelled.
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

  /// Cancels an unfinished export, or forgets an ended one; nil if the identifier is unknown.
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

  /// The result of a removal.
  struct Removal: Hashable, Sendable {
    var job: ExportJob
    /// The export had finished or failed; nothing was cancelled.
    var wasOver: Bool
    /// The export's thread has yet to learn of it, and then removes its files.
    var isStillWritten: Bool
  }

  /// Forgets expired exports; returns those whose files are to be removed.
  mutating func expire(at now: WallTime) -> [ExportJob] {
    let over = jobs.values.filter { job in job.expiry(retention: retention).map { $0 <= now } ?? false }
    for job in over { jobs[job.id] = nil }
    return over.sorted { $0.id < $1.id }
  }
}
