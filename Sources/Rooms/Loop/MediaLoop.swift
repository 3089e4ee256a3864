import Machines
import Recording
import Synchronization

/// One thread that serves sockets, timers and the actors of its rooms.
///
/// It is an epoll loop and a Swift `SerialExecutor` in one. Actors with this executor run on its thread, so a packet
/// goes from the socket through the room to the other musicians' sockets by plain function calls. Switching to it
/// from another thread costs some 10 µs and happens for commands, never for packets. The thread ends when nobody, in
/// particular no actor, retains the loop.
package final class MediaLoop: SerialExecutor, Sendable {
  /// The handle of a source on its loop.
  package struct SourceID: Hashable, Sendable {
    fileprivate(set) var slot: Int
    fileprivate(set) var generation: UInt64
  }

  package let name: String
  private let thread: LoopThread

  /// Starts a loop with its own thread.
  /// - Parameter priority: that of the thread, as far as the system permits it.
  /// - Throws: `LoopError` if the kernel provides no epoll or eventfd descriptor.
  package init(name: String, priority: LoopPriority = .high) throws(LoopError) {
    self.name = name
    thread = try LoopThread()
    thread.start(name: name, priority: priority, executor: UnownedSerialExecutor(ordinary: self))
  }

  deinit {
    thread.stop()
  }

  // MARK: Executor

  package func enqueue(_ job: consuming ExecutorJob) {
    thread.enqueue(UnownedJob(job))
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  /// True on the loop's own thread: callbacks of C libraries run there without being Swift jobs.
  package var isCurrent: Bool { thread.isCurrent }

  package func checkIsolated() {
    precondition(isCurrent, "not on the thread of \(name)")
  }

  package func isIsolatingCurrentContext() -> Bool? {
    isCurrent
  }

  // MARK: Sources (on the loop's thread only)

  /// Everything that arrived before this time at any watched descriptor has been read, and every job that was queued
  /// before it has run.
  package var readThrough: MonotonicTime { thread.readThrough }

  /// Registers a source.
  package func add(_ source: any LoopSource) -> SourceID {
    thread.onLoop { state in
      if let slot = state.free.popLast() {
        state.slots[slot].source = source
        return SourceID(slot: slot, generation: state.slots[slot].generation)
      }
      state.slots.append(.init(source: source))
      return SourceID(slot: state.slots.count - 1, generation: 0)
    }
  }

  /// Removes a source with its descriptors and its deadline.
  package func remove(_ id: SourceID) {
    thread.onLoop { state in
      guard state.slots[id.slot].generation == id.generation else { return }
      for (descriptor, watcher) in state.watchers where watcher == id {
        thread.remove(descriptor)
        state.watchers[descriptor] = nil
      }
      state.slots[id.slot] = .init(source: nil, generation: id.generation &+ 1)
      state.free.append(id.slot)
    }
  }

  /// Calls the source whenever `descriptor` is readable, until `unwatch` or `remove`.
  package func watch(_ descriptor: Int32, for id: SourceID) {
    thread.onLoop { state in
      thread.add(descriptor)
      state.watchers[descriptor] = id
    }
  }

  package func unwatch(_ descriptor: Int32) {
    thread.onLoop { state in
      thread.remove(descriptor)
      state.watchers[descriptor] = nil
    }
  }

  /// Calls the source's `deadlineReached` at `deadline`, or earlier if an earlier time was requested before.
  package func wake(_ id: SourceID, by deadline: MonotonicTime) {
    thread.onLoop { state in
      guard state.slots[id.slot].generation == id.generation else { return }
      // A later deadline uses the earlier timer: the source is woken, finds nothing due, and requests another call.
      // That is far cheaper than moving a heap entry for every packet.
      if let scheduled = state.slots[id.slot].scheduled, scheduled <= deadline { return }
      state.slots[id.slot].scheduled = deadline
      state.timers.insert(.init(deadline: deadline, source: id))
    }
  }
}

/// The loops of this process; a new room goes to the one with the fewest rooms.
package final class MediaLoops: Sendable {
  private let loops: [MediaLoop]
  private let load: Mutex<[Int]>

  /// - Throws: `LoopError`.
  package init(count: Int, name: String = "media-loop", priority: LoopPriority = .high) throws(LoopError) {
    var loops: [MediaLoop] = []
    for index in 0..<max(1, count) { loops.append(try MediaLoop(name: "\(name)-\(index)", priority: priority)) }
    self.loops = loops
    load = Mutex(Array(repeating: 0, count: loops.count))
  }

  /// Assigns the least loaded loop to a room, until `release`.
  func lease() -> MediaLoop {
    let index = load.withLock { load in
      let index = load.indices.min { load[$0] < load[$1] } ?? 0
      load[index] += 1
      return index
    }
    return loops[index]
  }

  func release(_ loop: MediaLoop) {
    guard let index = loops.firstIndex(where: { $0 === loop }) else { return }
    load.withLock { $0[index] -= 1 }
  }

  /// Returns once each loop has run a job, and so does not return while one hangs.
  package func respond() async {
    for loop in loops { _ = await LoopProbe(loop: loop).time }
  }
}

/// Runs on a loop like its rooms.
private actor LoopProbe {
  private let loop: MediaLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(loop: MediaLoop) {
    self.loop = loop
  }

  /// Read on the loop's thread. An empty function could be inlined into a caller that never goes there.
  var time: MonotonicTime { MonotonicClock.now }
}
