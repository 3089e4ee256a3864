import Library
import Logging
import Machines
import Music
import Recording
import Synchronization

/// The index as the recorder uses it: what is recorded waits here while the index is locked, slow or damaged.
///
/// The recorder's writes are carried out one after the other. One that the index does not take is tried again until it
/// does, and those behind it wait; nobody who plays waits with them. That the index is behind stands in a file meanwhile
/// (`BehindMark`), from which the next start knows what to look for, should this one end before. All of it is on the disk
/// anyway: folders, journals, manifests, and the files of sessions.
///
/// Reads end in time. Edits (what is marked "for `Library`") go past the backlog: their authors wait for an answer, and
/// are told to try again.
package final class IndexBacklog: Sendable {
  /// A write that takes longer waits without its author.
  private let patience: MonotonicTime.Span
  /// The same for a take's number: its journal waits for that, and must not be 200 ms behind the music.
  static let numberPatience = MonotonicTime.Span.milliseconds(100)
  /// How long those who ask wait for the index's answer.
  static let readPatience = MonotonicTime.Span.seconds(5)
  /// Between two tries of a write that was refused at once; the index itself waits for locks.
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
  /// Held while the mark is set or removed, so that mark and state say the same.
  private let marking = Mutex(())
  /// Reads from the disk what the index lacks, in place of too many writes.
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
    // A former process left it so; `Recovery` puts it right.
    if mark.isThere { state.behindSince = MonotonicClock.now }
    self.state = Mutex(state)
  }

  /// True while the index lacks something that was recorded.
  package var isBehind: Bool { state.withLock { $0.behindSince != nil } }
  /// Writes that wait.
  package var count: Int { state.withLock { $0.writes.count } }

  func whenTooMany(_ work: @escaping IndexWrite.Work) { catchUp.withLock { $0 = work } }

  // MARK: Writing

  /// Has the index do something after everything else that waits; returns when it is done, or waits for sure.
  /// - Throws: what the index throws that no waiting would change.
  func note(_ work: @escaping IndexWrite.Work) async throws {
    let write = add(work)
    guard !isBehind else { return }
    if let outcome = await write.outcome(within: patience) { return try outcome.get() }
    fallBehind("it takes longer than \(patience.seconds) s")
  }

  /// The same; returns when the index has it.
  /// - Throws: `IndexUnavailable.stopped` where the service ended before.
  func carryOut(_ work: @escaping IndexWrite.Work) async throws {
    let write = add(work)
    if !isBehind, let outcome = await write.outcome(within: patience) { return try outcome.get() }
    fallBehind("it takes longer than \(patience.seconds) s")
    try await write.outcome().get()
  }

  func add(_ work: @escaping IndexWrite.Work) -> IndexWrite {
    let write = IndexWrite(work)
    let catchUp = catchUp.withLock { $0 }
    let (isStopped, hasToBegin) = state.withLock { state in
      // An index that takes everything also takes what comes last.
      guard !state.isStopped || state.behindSince == nil else { return (true, false) }
      state.writes.add(write, merge: catchUp.map { work in { IndexBacklog.merge($0, work) } })
      defer { state.isWorking = true }
      return (false, !state.isWorking)
    }
    if isStopped { write.end(.failure(IndexUnavailable.stopped)) }
    // Nobody owns it: it ends with the last write, or with `stop`.
    if hasToBegin { Task { await carryOutAll() } }
    return write
  }

  /// One write in the place of many, whose authors hear of its end.
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
        // Its author may not wait any more.
        if isBehind { logger.warning("the index refuses what was recorded", metadata: ["error": "\(error)"]) }
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
    // The mark goes first: the author of a write may end the service once it is done.
    haveCaughtUp()
    write.end(outcome)
  }

  // MARK: Behind

  private func fallBehind(_ reason: String) {
    marking.withLock { _ in
      guard !isBehind else { return }
      do { try mark.set() } catch {
        logger.error("that the index is behind cannot be written down", metadata: ["error": "\(error)"])
      }
      // It may have come after all.
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
      logger.warning("the next start looks for what the index lacks, in vain", metadata: ["error": "\(error)"])
    }
  }

  /// Ends the writing: what has not been taken by then is left to the next start.
  func stop(within span: MonotonicTime.Span) async {
    // Behind all others, it is the last.
    if count > 0 { _ = await add({ _ in }).outcome(within: span) }
    let left = state.withLock { state in
      state.isStopped = true
      return state.writes.count
    }
    guard left > 0 else { return }
    fallBehind("the service ends")
    logger.warning("the index lacks what was recorded; the next start tells it", metadata: ["writes": "\(left)"])
  }

  // MARK: Takes in progress

  func promise<Value>(_ body: (inout TakePromises) -> Value) -> Value { state.withLock { body(&$0.promises) } }
  func knowing<Value>(_ body: (inout TakesInProgress) -> Value) -> Value { state.withLock { body(&$0.known) } }
}
