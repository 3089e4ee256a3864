import Library
import Logging
import Machines
import Music
import Recording
import Synchronization

/// The recorder's interface to the index: writes wait here while the index is locked, slow or damaged.
///
/// The recorder's writes are carried out in order. A write that fails is retried until it succeeds, and later ones
/// wait, but musicians never do. Meanwhile a file (`BehindMark`) records that the index is behind, so that the next
/// start looks for missing entries if this process ends first. All data is on disk in any case: folders, journals,
/// manifests, and the files of sessions.
///
/// Reads have a time limit. Edits (methods marked "for `Library`") bypass the backlog: their authors wait for the
/// result and are told to retry.
package final class IndexBacklog: Sendable {
  /// A write that takes longer continues without its author.
  private let patience: MonotonicTime.Span
  /// The same for a take's number: its journal waits for this, and must not be 200 ms behind the music.
  static let numberPatience = MonotonicTime.Span.milliseconds(100)
  /// How long a read waits for the index.
  static let readPatience = MonotonicTime.Span.seconds(5)
  /// Interval between attempts of a write that was refused at once; the index itself waits for locks.
  private static let retryInterval = MonotonicTime.Span.milliseconds(250)

  private struct State {
    var writes = WaitingWrites<IndexWrite>()
    var isWorking = false
    var behindSince: MonotonicTime?
    var isStopped = false
    var promises = TakePromises()
    var known = TakesInProgress()
  }

  /// The index itself.
  let index: any TakeIndex
  let root: String
  private let mark: BehindMark
  private let logger: Logger
  private let state: Mutex<State>
  /// Held while the mark is set or removed, so that mark and state agree.
  private let marking = Mutex(())
  /// Reads missing entries from disk, in place of too many writes.
  private let catchUp = Mutex<IndexWrite.Work?>(nil)

  init(
    _ index: any TakeIndex, recordings root: String, patience: MonotonicTime.Span = .seconds(1), logger: Logger
  ) {
    self.index = index
    self.patience = patience
    self.root = root
    self.logger = logger
    mark = BehindMark(root: root)
    var state = State()
    // Left by an earlier process; `Recovery` resolves it.
    if mark.isThere { state.behindSince = MonotonicClock.now }
    self.state = Mutex(state)
  }

  /// True while the index lacks recorded data.
  package var isBehind: Bool { state.withLock { $0.behindSince != nil } }
  /// Number of waiting writes.
  package var count: Int { state.withLock { $0.writes.count } }

  func whenTooMany(_ work: @escaping IndexWrite.Work) { catchUp.withLock { $0 = work } }

  // MARK: Writing

  /// Queues a write; returns when it is done, or is certain to be retried.
  /// - Throws: errors of the index that a retry would not resolve.
  func note(_ work: @escaping IndexWrite.Work) async throws {
    let write = add(work)
    guard !isBehind else { return }
    if let outcome = await write.outcome(within: patience) { return try outcome.get() }
    fallBehind("it takes longer than \(patience.seconds) s")
  }

  /// The same, but returns only when the index has it.
  /// - Throws: `IndexUnavailable.stopped` if the service ended first.
  func carryOut(_ work: @escaping IndexWrite.Work) async throws {
    let write = add(work)
    if !isBehind, let outcome = await write.outcome(within: patience) { return try outcome.get() }
    fallBehind("it takes longer than \(patience.seconds) s")
    try await write.outcome().get()
  }

  /// Waits for what was written so far, as long as an author waits, so that a list that is read next has it.
  func settle() async {
    guard count > 0 else { return }
    try? await note { _ in }
  }

  func add(_ work: @escaping IndexWrite.Work) -> IndexWrite {
    let write = IndexWrite(work)
    let catchUp = catchUp.withLock { $0 }
    let (isStopped, hasToBegin) = state.withLock { state in
      // A working index also takes writes after the stop.
      guard !state.isStopped || state.behindSince == nil else { return (true, false) }
      state.writes.add(write, merge: catchUp.map { work in { IndexBacklog.merge($0, work) } })
      defer { state.isWorking = true }
      return (false, !state.isWorking)
    }
    if isStopped { write.end(.failure(IndexUnavailable.stopped)) }
    // An unowned task: it ends with the last write, or with `stop`.
    if hasToBegin { Task { await carryOutAll() } }
    return write
  }

  /// Merges many writes into one, whose outcome is reported to all their authors.
  private static func merge(_ writes: [IndexWrite], _ catchUp: @escaping IndexWrite.Work) -> IndexWrite {
    IndexWrite { index in
      try await catchUp(index)
      for write in writes { write.end(.success(())) }
    }
  }

  private func carryOutAll() async {
    while let write = next() {
      do {
        try await write.run(on: index)
        end(write, .success(()))
      } catch let problem as any IndexProblem where problem.isIndexUnavailable {
        fallBehind("\(problem)")
        await Deadline.pause(IndexBacklog.retryInterval)
      } catch {
        // Its author may no longer be waiting.
        if isBehind { logger.warning("the index refuses recorded data", metadata: ["error": "\(error)"]) }
        end(write, .failure(error))
      }
    }
  }

  private func next() -> IndexWrite? {
    let (write, left) = state.withLock { state -> (IndexWrite?, [IndexWrite]) in
      let left = state.isStopped && state.behindSince != nil ? state.writes.removeAll() : []
      if state.writes.isEmpty { state.isWorking = false }
      return (state.writes.first, left)
    }
    for write in left { write.end(.failure(IndexUnavailable.stopped)) }
    return write
  }

  private func end(_ write: IndexWrite, _ outcome: IndexWrite.Outcome) {
    state.withLock { $0.writes.removeFirst() }
    // The mark is removed first: the author of a write may end the service once it is done.
    haveCaughtUp()
    write.end(outcome)
  }

  // MARK: Behind

  private func fallBehind(_ reason: String) {
    marking.withLock { _ in
      guard !isBehind else { return }
      do { try mark.set() } catch {
        logger.error("the mark that the index is behind cannot be written", metadata: ["error": "\(error)"])
      }
      // The write may have succeeded after all.
      let isBehind = state.withLock { state in
        if !state.writes.isEmpty { state.behindSince = MonotonicClock.now }
        return state.behindSince != nil
      }
      guard isBehind else { return removeMark() }
      logger.warning(
        "the index does not take what is recorded; it is kept on the disk until it does",
        metadata: ["reason": "\(reason)"])
    }
  }

  private func haveCaughtUp() {
    guard isBehind else { return }
    marking.withLock { _ in
      let since = state.withLock { state -> MonotonicTime? in
        guard state.writes.isEmpty, let since = state.behindSince else { return nil }
        state.behindSince = nil
        state.promises = TakePromises()
        state.known.removeAllButRolling()
        return since
      }
      guard let since else { return }
      removeMark()
      logger.notice(
        "the index caught up with what was recorded", metadata: ["seconds": "\((MonotonicClock.now - since).seconds)"])
    }
  }

  private func removeMark() {
    do { try mark.remove() } catch {
      logger.warning("the next start will search for missing index entries in vain", metadata: ["error": "\(error)"])
    }
  }

  /// Stops writing; remaining writes are left to the next start.
  func stop(within span: MonotonicTime.Span) async {
    // Queued after all others, this is the last write.
    if count > 0 { _ = await add({ _ in }).outcome(within: span) }
    let left = state.withLock { state in
      state.isStopped = true
      return state.writes.count
    }
    // It holds the service's parts, and they hold this.
    catchUp.withLock { $0 = nil }
    guard left > 0 else { return }
    fallBehind("the service ends")
    logger.warning("the index lacks recorded data; the next start adds it", metadata: ["writes": "\(left)"])
  }

  // MARK: Takes in progress

  func promise<Value>(_ body: (inout TakePromises) -> Value) -> Value { state.withLock { body(&$0.promises) } }
  func knowing<Value>(_ body: (inout TakesInProgress) -> Value) -> Value { state.withLock { body(&$0.known) } }
}
