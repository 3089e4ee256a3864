import CLinux
import DequeModule
import Foundation
import Glibc
import Machines
import Recording
import Synchronization

/// The thread of a `MediaLoop`: an epoll set, deadlines, and the queue of Swift jobs.
///
/// It outlives its loop until the thread has ended, so that nobody writes to a closed descriptor.
final class LoopThread: Sendable {
  private let epoll: Int32
  private let wakeUp: Int32
  private let inbox = Mutex(Inbox())
  /// Written once by the thread itself before `start` returns.
  private let thread = Atomic<UInt>(0)
  private let isStopping = Atomic<Bool>(false)
  // Proof: only `onLoop` and the thread itself access it, and `onLoop` checks that it is called on the thread.
  nonisolated(unsafe) private let state = LoopState()

  /// In bytes.
  private static let stack = 1 << 20

  private struct Inbox {
    var jobs = Deque<UnownedJob>()
    var isSignalled = false
  }

  /// State that only the thread accesses.
  final class LoopState {
    struct Slot {
      var source: (any LoopSource)?
      var generation: UInt64 = 0
      var scheduled: MonotonicTime?
    }
    var slots: [Slot] = []
    var free: [Int] = []
    /// The source watching each descriptor.
    var watchers: [Int32: MediaLoop.SourceID] = [:]
    var timers = TimerHeap()
    var progress = ReadProgress(at: MonotonicClock.now)
  }

  /// - Throws: `LoopError` if the kernel provides no epoll or eventfd descriptor.
  init() throws(LoopError) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw LoopError(call: "epoll_create1", errno: errno) }
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard wakeUp >= 0 else {
      let code = errno
      close(epoll)
      throw LoopError(call: "eventfd", errno: code)
    }
    add(wakeUp)
  }

  deinit {
    close(epoll)
    close(wakeUp)
  }

  /// Starts the thread; jobs run as `executor`, which lives as long as its jobs, because their actors retain it.
  func start(name: String, priority: LoopPriority, executor: UnownedSerialExecutor) {
    let started = DispatchSemaphore(value: 0)
    _ = WorkerThread(name, stack: LoopThread.stack) { [self] in
      self.thread.store(UInt(pthread_self()), ordering: .sequentiallyConsistent)
      // Timers of a few milliseconds must not be delayed by the default slack of 50 µs under load.
      clinux_tighten_timers()
      let granted = priority.take()
      started.signal()
      run(as: executor, priority: granted)
    }
    started.wait()
  }

  /// Ends the thread; called when no more jobs can be queued.
  func stop() {
    isStopping.store(true, ordering: .sequentiallyConsistent)
    signal()
  }

  func enqueue(_ job: UnownedJob) {
    let mustSignal = inbox.withLock { inbox in
      inbox.jobs.append(job)
      defer { inbox.isSignalled = true }
      return !inbox.isSignalled
    }
    if mustSignal, !isCurrent { signal() }
  }

  var isCurrent: Bool {
    thread.load(ordering: .relaxed) == UInt(pthread_self())
  }

  /// For the thread itself: how far the sockets have been read, and the jobs have been run.
  var readThrough: MonotonicTime { onLoop { $0.progress.through } }

  func onLoop<Result>(_ body: (LoopState) -> Result) -> Result {
    precondition(isCurrent, "not on the loop's thread")
    return body(state)
  }

  /// Watches a descriptor for reading with epoll.
  func add(_ descriptor: Int32) {
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    event.data.fd = descriptor
    // A descriptor closed and reopened with the same number may still be registered.
    if epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0, errno == EEXIST {
      epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event)
    }
  }

  func remove(_ descriptor: Int32) {
    epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
  }

  private func run(as executor: UnownedSerialExecutor, priority: LoopPriority) {
    let capacity = 256
    let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)
    defer { events.deallocate() }
    // What is queued by now runs before the next is taken, and what has arrived by now is read.
    var taken = MonotonicClock.now
    var began = taken
    var waiting = Deque<UnownedJob>()
    var newcomers: [Int32] = []
    var order = LaneOrder()
    var rightOfWay = RightOfWay(at: taken)
    while true {
      let count = max(0, Int(epoll_wait(epoll, events, Int32(capacity), waiting.isEmpty ? timeout() : 0)))
      let now = MonotonicClock.now
      // Of what else is readable, nothing is known.
      var behind: MonotonicTime? = count == capacity ? state.progress.through : nil
      newcomers.removeAll(keepingCapacity: true)
      for index in 0..<count {
        let descriptor = events[index].data.fd
        if descriptor == wakeUp {
          var value: UInt64 = 0
          _ = read(wakeUp, &value, 8)
        } else if let source = source(watching: descriptor) {
          guard source.isMedia else {
            newcomers.append(descriptor)
            continue
          }
          if let last = source.descriptorReady(descriptor, at: now) { behind = min(behind ?? last, last) }
        }
      }
      var budget = LaneBudget(at: MonotonicClock.now)
      var hasJobs = true
      for lane in order.lanes {
        switch lane {
        case .newcomers:
          if serve(newcomers, within: &budget, &behind) { newcomers.removeAll(keepingCapacity: true) }
        case .deadlines:
          let read = MonotonicClock.now
          // Of newcomers' sockets that have not been served, nothing is known either.
          if !newcomers.isEmpty { behind = state.progress.through }
          state.progress.turn(began: began, behind: behind, at: read)
          serveDeadlines(from: read, within: &budget)
        case .jobs:
          hasJobs = run(&waiting, taken: &taken, within: &budget, as: executor)
        }
      }
      if waiting.isEmpty { began = taken }
      let end = MonotonicClock.now
      order.turn(hasSpentItsTime: !budget.hasTime(at: end))
      if priority == .realTime, rightOfWay.turn(from: now, to: end) {
        (rightOfWay.isGranted ? LoopPriority.realTime : .high).take()
      }
      if !hasJobs, isStopping.load(ordering: .sequentiallyConsistent) { break }
    }
    state.slots = []
  }

  private func source(watching descriptor: Int32) -> (any LoopSource)? {
    state.watchers[descriptor].flatMap { state.slots[$0.slot].source }
  }

  /// Serves sockets that carry no media yet; false if the rest has to wait, which epoll then reports again, last.
  private func serve(
    _ descriptors: [Int32], within budget: inout LaneBudget, _ behind: inout MonotonicTime?
  ) -> Bool {
    for descriptor in descriptors {
      let now = MonotonicClock.now
      guard budget.permitsStep(at: now) else { return false }
      // One of those before may have removed it.
      guard let last = source(watching: descriptor)?.descriptorReady(descriptor, at: now) else { continue }
      behind = min(behind ?? last, last)
    }
    return true
  }

  private func serveDeadlines(from start: MonotonicTime, within budget: inout LaneBudget) {
    var now = start
    while let earliest = state.timers.earliest, earliest <= now, budget.permitsStep(at: now),
      let due = state.timers.popDue(at: now)
    {
      defer { now = MonotonicClock.now }
      let slot = state.slots[due.source.slot]
      guard slot.generation == due.source.generation, slot.scheduled == due.deadline else { continue }
      state.slots[due.source.slot].scheduled = nil
      slot.source?.deadlineReached(at: now)
    }
  }

  /// Runs jobs in the order in which they were queued; false if there are none, as far as there was time to look.
  ///
  /// - Parameters:
  ///   - waiting: those that were queued before `taken` and have not run.
  ///   - taken: the time when the last were taken from the inbox.
  private func run(
    _ waiting: inout Deque<UnownedJob>, taken: inout MonotonicTime, within budget: inout LaneBudget,
    as executor: UnownedSerialExecutor
  ) -> Bool {
    let start = MonotonicClock.now
    guard budget.hasTime(at: start) else { return true }
    if waiting.isEmpty {
      taken = start
      waiting = inbox.withLock { inbox in
        inbox.isSignalled = false
        defer { inbox.jobs = [] }
        return inbox.jobs
      }
    }
    guard !waiting.isEmpty else { return false }
    var now = start
    while !waiting.isEmpty, budget.permitsStep(at: now) {
      waiting.removeFirst().runSynchronously(on: executor)
      now = MonotonicClock.now
    }
    return true
  }

  /// Milliseconds for which epoll may sleep: until the next deadline; 0 if jobs are waiting.
  private func timeout() -> Int32 {
    let hasJobs = inbox.withLock { inbox in
      // Jobs queued by this thread need no signal; those from others do while it sleeps.
      inbox.isSignalled = !inbox.jobs.isEmpty
      return !inbox.jobs.isEmpty
    }
    if hasJobs || isStopping.load(ordering: .relaxed) { return 0 }
    guard let earliest = state.timers.earliest else { return -1 }
    let wait = (earliest - MonotonicClock.now).nanoseconds
    return Int32(clamping: max(0, (wait + 999_999) / 1_000_000))
  }

  private func signal() {
    var one: UInt64 = 1
    _ = write(wakeUp, &one, 8)
  }
}

/// An object served by a media loop: descriptors that become readable, and one deadline.
///
/// Sources are not Sendable: they are created, called and removed on their loop's thread only.
package protocol LoopSource: AnyObject {
  /// True for sockets from which musicians' packets come, once they may: they are read before everything else.
  var isMedia: Bool { get }
  /// Called when `descriptor` is readable.
  /// - Returns: the arrival of the last datagram read, if more may be waiting behind it; nil if `descriptor` was emptied.
  func descriptorReady(_ descriptor: Int32, at now: MonotonicTime) -> MonotonicTime?
  /// Called when the deadline given to `MediaLoop.wake(_:by:)` is reached.
  func deadlineReached(at now: MonotonicTime)
}

extension LoopSource {
  package var isMedia: Bool { false }
}

/// The kernel refused a resource needed by a loop.
package struct LoopError: Error, CustomStringConvertible {
  package var call: String
  package var errno: Int32

  package var description: String { "\(call) failed: \(String(cString: strerror(errno)))" }
}
