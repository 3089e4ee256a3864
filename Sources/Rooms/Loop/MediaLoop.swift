import CLinux
import DequeModule
import Foundation
import Machines
import Synchronization

/// One thread that serves sockets, timers and the actors of its rooms.
///
/// It is an epoll loop and a Swift `SerialExecutor` in one: an actor whose executor it is runs on its thread, so a
/// packet goes from the socket through the room to the other musicians' sockets by plain function calls. Crossing to
/// it from elsewhere costs some 10 µs; it is done for commands, never for packets.
package final class MediaLoop: SerialExecutor, Sendable {
  /// The handle of a source on its loop.
  package struct SourceID: Hashable, Sendable {
    fileprivate var slot: Int
    fileprivate var generation: UInt64
  }

  package let name: String
  private let epoll: Int32
  private let wakeUp: Int32
  private let inbox = Mutex(Inbox())
  /// Written once by the thread itself before `init` returns.
  private let thread = Atomic<UInt>(0)
  private let isStopping = Atomic<Bool>(false)
  // Proof: only `onLoop` reads it, after checking that the caller is the loop's own thread.
  nonisolated(unsafe) private let state = LoopState()

  private struct Inbox {
    var jobs = Deque<UnownedJob>()
    var isSignalled = false
  }

  /// What only the loop's thread touches.
  private final class LoopState {
    struct Slot {
      var source: (any LoopSource)?
      var generation: UInt64 = 0
      var scheduled: MonotonicTime?
    }
    var slots: [Slot] = []
    var free: [Int] = []
    /// Slot of the source that watches a descriptor, by descriptor.
    var watchers: [Int32: SourceID] = [:]
    var timers = TimerHeap()
  }

  /// Starts a loop with a thread of its own.
  /// - Throws: `LoopError` when the kernel gives no epoll or eventfd descriptor.
  package init(name: String) throws(LoopError) {
    self.name = name
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw LoopError(call: "epoll_create1", errno: errno) }
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard wakeUp >= 0 else { throw LoopError(call: "eventfd", errno: errno) }
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    event.data.fd = wakeUp
    epoll_ctl(epoll, EPOLL_CTL_ADD, wakeUp, &event)
    let started = DispatchSemaphore(value: 0)
    let thread = Thread { [self] in
      self.thread.store(UInt(pthread_self()), ordering: .sequentiallyConsistent)
      started.signal()
      run()
    }
    thread.name = name
    thread.stackSize = 1 << 20
    thread.start()
    started.wait()
  }

  /// Ends the thread once the jobs that are queued have run; sources that are still registered are released.
  package func stop() {
    isStopping.store(true, ordering: .sequentiallyConsistent)
    signal()
  }

  // MARK: Executor

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let mustSignal = inbox.withLock { inbox in
      inbox.jobs.append(job)
      defer { inbox.isSignalled = true }
      return !inbox.isSignalled
    }
    if mustSignal, !isCurrent { signal() }
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  /// True on the loop's own thread: callbacks of C libraries come from there without being Swift jobs.
  package var isCurrent: Bool {
    thread.load(ordering: .relaxed) == UInt(pthread_self())
  }

  package func checkIsolated() {
    precondition(isCurrent, "not on the thread of \(name)")
  }

  package func isIsolatingCurrentContext() -> Bool? {
    isCurrent
  }

  // MARK: Sources (on the loop's thread only)

  /// Registers a source.
  package func add(_ source: any LoopSource) -> SourceID {
    onLoop { state in
      if let slot = state.free.popLast() {
        state.slots[slot].source = source
        return SourceID(slot: slot, generation: state.slots[slot].generation)
      }
      state.slots.append(.init(source: source))
      return SourceID(slot: state.slots.count - 1, generation: 0)
    }
  }

  /// Forgets a source with its descriptors and its deadline.
  package func remove(_ id: SourceID) {
    onLoop { state in
      guard state.slots[id.slot].generation == id.generation else { return }
      for (descriptor, watcher) in state.watchers where watcher == id {
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
        state.watchers[descriptor] = nil
      }
      state.slots[id.slot] = .init(source: nil, generation: id.generation &+ 1)
      state.free.append(id.slot)
    }
  }

  /// Calls the source whenever `descriptor` is readable, until `unwatch` or `remove`.
  package func watch(_ descriptor: Int32, for id: SourceID) {
    onLoop { state in
      var event = epoll_event()
      event.events = EPOLLIN.rawValue
      event.data.fd = descriptor
      // A descriptor that was closed and opened again under the same number is added anew by the kernel's view.
      if epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0, errno == EEXIST {
        epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event)
      }
      state.watchers[descriptor] = id
    }
  }

  package func unwatch(_ descriptor: Int32) {
    onLoop { state in
      epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
      state.watchers[descriptor] = nil
    }
  }

  /// Calls the source's `deadlineReached` at `deadline`, or earlier if it had asked for an earlier time before.
  package func wake(_ id: SourceID, by deadline: MonotonicTime) {
    onLoop { state in
      guard state.slots[id.slot].generation == id.generation else { return }
      // A later deadline rides on the earlier timer: the source is woken, sees nothing due, and asks again. That is
      // far cheaper than moving an entry of the heap at every packet.
      if let scheduled = state.slots[id.slot].scheduled, scheduled <= deadline { return }
      state.slots[id.slot].scheduled = deadline
      state.timers.insert(.init(deadline: deadline, source: id))
    }
  }

  private func onLoop<Result>(_ body: (LoopState) -> Result) -> Result {
    checkIsolated()
    return body(state)
  }

  // MARK: The thread

  private func run() {
    // Timers of a few milliseconds must not be rounded up by the default 50 µs slack under load.
    clinux_tighten_timers()
    let capacity = 256
    let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)
    defer { events.deallocate() }
    while true {
      let count = epoll_wait(epoll, events, Int32(capacity), timeout())
      var now = MonotonicClock.now
      for index in 0..<max(0, Int(count)) {
        let descriptor = events[index].data.fd
        if descriptor == wakeUp {
          var value: UInt64 = 0
          _ = read(wakeUp, &value, 8)
        } else if let id = state.watchers[descriptor] {
          state.slots[id.slot].source?.descriptorReady(descriptor, at: now)
        }
      }
      now = MonotonicClock.now
      while let due = state.timers.popDue(at: now) {
        let slot = state.slots[due.source.slot]
        guard slot.generation == due.source.generation, slot.scheduled == due.deadline else { continue }
        state.slots[due.source.slot].scheduled = nil
        slot.source?.deadlineReached(at: now)
      }
      if !runJobs(), isStopping.load(ordering: .sequentiallyConsistent) { break }
    }
    state.slots = []
    close(epoll)
    close(wakeUp)
  }

  /// Runs the jobs that are queued now; false when there were none.
  private func runJobs() -> Bool {
    let jobs = inbox.withLock { inbox in
      inbox.isSignalled = false
      defer { inbox.jobs = [] }
      return inbox.jobs
    }
    let executor = asUnownedSerialExecutor()
    for job in jobs { job.runSynchronously(on: executor) }
    return !jobs.isEmpty
  }

  /// Milliseconds that epoll may sleep: until the next deadline, not at all when jobs wait.
  private func timeout() -> Int32 {
    let hasJobs = inbox.withLock { inbox in
      // Jobs that this thread queues itself need no signal; whoever comes while it sleeps does.
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

/// The kernel refused what a loop needs.
package struct LoopError: Error, CustomStringConvertible {
  package var call: String
  package var errno: Int32

  package var description: String { "\(call) failed: \(String(cString: strerror(errno)))" }
}
